import pg from 'pg';

/**
 * A client that authenticates only with SCRAM, which never sends the password. A process that has taken over the
 * server's port therefore cannot learn the password.
 */
export class PostgresClient extends pg.Client {
  _handleAuthCleartextPassword() {
    this.#refuse();
  }

  _handleAuthMD5Password() {
    this.#refuse();
  }

  #refuse() {
    const { connection } = /** @type {{connection: import('pg').Connection}} */ (
      /** @type {unknown} */ (this)
    );
    connection.emit(
      'error',
      new Error('the database asks for its password in a readable form; valid: SCRAM'),
    );
    connection.end();
  }
}
