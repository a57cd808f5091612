/** The primary's message that makes a worker finish and exit. */
export const STOP = 'stop';

/** The variable by which the primary tells its workers the folder of their own sockets. */
export const SOCKET_FOLDER = 'TARGET_SOCKET_FOLDER';
