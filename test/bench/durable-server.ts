import { createServer } from 'node:http'
import { join } from 'node:path'
import { connect, createFile } from '../../src/platform/store/sqlite/open-connection.ts'
import { loadSqlite } from '../../src/platform/store/sqlite/sqlite-driver.ts'
import type { Answer } from './bare-server.ts'
import { freePort, type Home, type Running, startServer } from './processes.ts'

/** Name of the floor in figures. */
export const durableFloor = 'node:http, one FULL insert'

/** Floor of a server that stores every request before it responds. */
export interface Floor extends Answer {
  readonly port: number
  readonly file: string
}

/** Serves requests: one insert each, and one durable commit for those of one turn of the event loop. */
export function serveFloor({ port, file, status, headers, body }: Floor): void {
  createFile(file)
  const database = connect(loadSqlite(), file, { busyTimeoutMs: 1000 })
  database.exec('create table if not exists request(id integer primary key, body text not null)')
  const insert = database.prepare('insert into request(body) values (?)')
  const waiting: { readonly body: string; readonly answer: () => void }[] = []
  const keep = (): void => {
    const some = waiting.splice(0)
    database.exec('BEGIN IMMEDIATE')
    for (const request of some) insert.run([request.body])
    database.exec('COMMIT')
    for (const request of some) request.answer()
  }
  createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => {
      if (request.method === 'GET') return void response.writeHead(status, headers).end(body)
      if (waiting.push({ body: text, answer: () => void response.writeHead(status, headers).end(body) }) === 1)
        setImmediate(keep)
    })
  }).listen(port, '127.0.0.1')
  process.on('SIGTERM', () => process.exit(0))
}

/** Starts the floor in a process of its own, with its database in a home. */
export async function startDurableFloor(home: Home, answer: Answer): Promise<Running> {
  const port = await freePort()
  const floor: Floor = { port, file: join(home.folder, 'floor.db'), ...answer }
  return startServer([process.argv[1] ?? '', '--floor', JSON.stringify(floor)], {
    env: home.env,
    folder: home.folder,
    port,
    path: '/',
    headers: {},
  })
}
