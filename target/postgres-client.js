import pg from 'pg';

/**
 * A client that authenticates with SCRAM only, which does not send the password: a process that has taken the server's
 * port learns nothing that gives access to the database.
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
