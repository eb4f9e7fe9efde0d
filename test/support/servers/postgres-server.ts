import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { type Server, startPostgres } from './postgres-process.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Port of the loopback interface that responds with a Template as JSON. */
    postgresDoor: number
  }
}

/** Database to copy, and servers on which to create the copy: one, or the coordinator and workers of Citus. */
export interface Template {
  readonly url: string
  readonly workers: readonly string[]
  readonly name: string
}

/** Name of the template of this run. */
export const templateName = `parley_test_template_${process.pid}`

/**
 * Starts one PostgreSQL server per test run, when the first test file connects to the port.
 * `DATABASE_URL_TEST` names a server to use instead. Its user must be allowed to create databases.
 */
export default function postgresServer(project: TestProject): Promise<() => Promise<void>> {
  let server: Server | undefined
  const given = process.env.DATABASE_URL_TEST
  return openDoor(project, {
    async start() {
      server = given ? undefined : await startPostgres()
      const url = given ?? server?.url ?? ''
      await order(url, `create database ${templateName}`)
      const connection = await openStore({ url: databaseUrl(url, templateName) })
      await connection.close()
      return { url, workers: [], name: templateName }
    },
    async stop(template) {
      if (template && !server) await order(template.url, `drop database ${template.name}`)
      await server?.stop()
    },
  })
}

/** Opens the port at which test files ask for the template, which is made for the first one. */
export async function openDoor(
  project: TestProject,
  {
    start,
    stop,
  }: {
    readonly start: () => Promise<Template>
    readonly stop: (template: Template | undefined) => Promise<void>
  },
): Promise<() => Promise<void>> {
  let template: Promise<Template> | undefined
  const door = createServer((socket) => {
    socket.on('error', () => {})
    template ??= start()
    template.then(
      (it) => socket.end(JSON.stringify(it)),
      (error) => socket.end(JSON.stringify({ error: String(error) })),
    )
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  project.provide('postgresDoor', (door.address() as AddressInfo).port)

  return async () => {
    door.close()
    await stop(await template?.catch(() => undefined))
  }
}

/** Returns the URL of another database on a server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Runs one statement outside any transaction, and returns its rows. */
export async function order(url: string, statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url })
  // A connection that is closed by the server must not end the tests: its query fails.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
