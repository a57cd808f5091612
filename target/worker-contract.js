/** The primary's message that makes a worker drain and exit. */
export const STOP = 'stop';

/** The environment variable with the folder of the workers' Unix sockets. */
export const SOCKET_FOLDER = 'TARGET_SOCKET_FOLDER';

/** The environment variable with a worker's number, from 0. A replacement gets the number of its predecessor. */
export const SLOT = 'TARGET_WORKER_SLOT';
