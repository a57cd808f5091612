import pg from 'pg';

/**
 * A client that answers a request for the password with SCRAM alone, in which the password is not sent: whoever took the server's port
 * gets nothing that opens the database.
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
