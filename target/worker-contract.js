/** The primary's message that makes a worker finish and exit. */
export const STOP = 'stop';

/** The variable by which the primary tells its workers the folder of their own sockets. */
export const SOCKET_FOLDER = 'TARGET_SOCKET_FOLDER';

/** The variable with a worker's number, from 0; one that is replaced leaves it to its successor. */
export const SLOT = 'TARGET_WORKER_SLOT';
