import { createServer } from 'node:http'
import pg from 'pg'

/** What a bare server does for each request, with as few statements as possible. */
export interface Sketch {
  readonly port: number
  readonly url: string
  readonly kind: 'one-query' | 'four-statements'
}

/** Creates the tables of the sketch. */
export async function createSketchTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create table if not exists sketch_account (id int primary key, used int not null);
    create table if not exists sketch_lead (id bigserial primary key, account int not null, phone text not null);
    create table if not exists sketch_count (account int primary key, n bigint not null);
    create table if not exists sketch_outbox (id bigserial primary key, account int not null, payload text not null);
    create table if not exists sketch_job (id bigserial primary key, outbox bigint not null, due_at bigint not null);
    insert into sketch_account select n, 0 from generate_series(0, 15) n on conflict do nothing;
    insert into sketch_count select n, 0 from generate_series(0, 15) n on conflict do nothing`)
  await client.end()
}

/**
 * Floor of a server with a database on another process: node:http and the statements that the work needs at least. A
 * write locks its account and runs four statements in one transaction.
 */
export function serveSketch({ port, url, kind }: Sketch): void {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const read = async (): Promise<void> =>
    void (await pool.query({ name: 'read', text: 'select * from sketch_account where id = $1', values: [1] }))
  const write = async (account: number): Promise<void> => {
    const client = await pool.connect()
    const run = (name: string, text: string, values: unknown[]): Promise<unknown> =>
      client.query({ name, text, values })
    await client.query(`begin; select 1 from sketch_account where id = ${account} for no key update`)
    await run('limit', 'update sketch_account set used = used + 1 where id = $1', [account])
    await run('lead', 'insert into sketch_lead (account, phone) values ($1, $2)', [account, '+15005550006'])
    await run('count', 'update sketch_count set n = n + 1 where account = $1', [account])
    await run(
      'event',
      'with o as (insert into sketch_outbox (account, payload) values ($1, $2) returning id) insert into sketch_job (outbox, due_at) select id, 0 from o',
      [account, '{}'],
    )
    await client.query('commit')
    client.release()
  }
  createServer((request, response) => {
    const account = Number(request.headers['x-account'] ?? 0)
    request.resume()
    request.on('end', () => {
      const work = kind === 'one-query' ? read() : write(account)
      work.then(
        () => response.end('{}'),
        (error: Error) => {
          response.statusCode = 500
          response.end(error.message)
        },
      )
    })
  }).listen(port, '127.0.0.1')
  process.on('SIGTERM', () => process.exit(0))
}
