import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { expect } from 'vitest'
import { addProgram, type Finished, newPlace, type Place, removeOwner, run } from '../e2e/support/built-program.ts'
import { afterFile } from '../support/cleanup.ts'
import { freePorts, systemPostgres } from '../support/servers/postgres-process.ts'
import { root } from '../support/sources.ts'
import { blocksOf, page } from './documentation-pages.ts'

const runbooks = page('docs/runbooks.md').text

/** The programs of PostgreSQL that the runbooks use, if the machine has them. */
export const programs = systemPostgres()

/** The scripts of a runbook, in order. */
export function scriptsOf(title: string): readonly string[] {
  const [, text] = runbooks.split(`\n## ${title}\n`)
  if (text === undefined) throw new Error(`There is no runbook "${title}".`)
  return blocksOf({ path: title, text: text.split('\n## ')[0] ?? '' }).map((it) => it.text)
}

/** The settings at the top of the page. */
const settings = blocksOf({ path: 'settings', text: runbooks.split('\n## ')[0] ?? '' }).map((it) => it.text)

/** Requests that a client of the servers makes, one after the other, until it is stopped. */
export interface Client {
  /** Phone numbers of leads that a server said it has created. */
  readonly created: readonly string[]
  /** Answers that a client does not repeat. */
  readonly failed: readonly string[]
  /** Answers and lost connections after which the request was repeated. */
  readonly refusals: readonly string[]
  stop(): Promise<void>
}

/** A machine as the page describes it: its user, folders and addresses differ, and nothing else. */
export interface Machine {
  readonly at: Place
  /** Folder of the data of a server; `suffix` as in `/var/lib/parley-1`. */
  data(suffix?: string): string
  /** Carries out a script of the page, and returns what it printed. */
  type(script: string): Promise<string>
  /** Returns the first column of the first row. */
  ask(statement: string): Promise<string>
  port(documented: number): number
  /** Replaces a text of the page from now on. */
  replace(documented: string, actual: string): void
  /** Creates leads by turns on the servers of these ports, as behind a load balancer. */
  client(prefix: string, ...ports: number[]): Client
  /** Requires that every lead of a client is stored once, and that `server check` finds no problem. Returns how many leads there are. */
  requireStored(client: Client): Promise<number>
}

/** Finds each text that is replaced, an earlier one of the list first. */
const documentedTexts = (actual: readonly [string, string][]): RegExp =>
  new RegExp(actual.map(([from]) => from.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g')

/** Ports of the page. Those of databases are in a row, as those of a cluster are. */
const documentedPorts = [5432, 5433, 5434, 4010, 4011, 4012, 8080]

/**
 * Prepares the machine: PostgreSQL runs, in a folder if one is given, with an empty database `parley`, whose user has a
 * password. Without `hasDatabase`, there is neither.
 */
export async function newMachine({
  folder,
  hasDatabase = true,
  coordinator,
}: {
  readonly folder?: string
  readonly hasDatabase?: boolean
  /** Port of a coordinator of Citus that runs, with its workers at the next ports. */
  readonly coordinator?: number
} = {}): Promise<Machine> {
  const at = newPlace()
  const bin = join(at.dir, 'bin')
  addProgram(bin)
  const first = await freePorts(documentedPorts.length)
  const port = (documented: number): number =>
    coordinator !== undefined && documented < 5500
      ? coordinator + documented - 5432
      : first + documentedPorts.indexOf(documented)
  const postgres = folder ?? join(at.dir, 'postgres')
  const data = (suffix = ''): string => join(at.dir, `lib-parley${suffix}`)
  const actual: [string, string][] = [
    ['/var/lib/postgresql/17/main', join(postgres, 'main')],
    ['/var/backups/parley', join(at.dir, 'backup')],
    ['/var/run/postgresql', '127.0.0.1'],
    ['/etc/parley', at.dir],
    ['/var/lib/parley', data()],
    [' deploy/', ` ${join(root, 'deploy')}/`],
    ...documentedPorts.map((it): [string, string] => [String(it), String(port(it))]),
  ]
  mkdirSync(postgres, { recursive: true })
  mkdirSync(join(at.dir, 'backup'))
  const passwords = join(at.dir, 'passwords')
  writeFileSync(passwords, `127.0.0.1:${port(5432)}:*:parley:first\n`, { mode: 0o600 })
  for (const owned of [at.dir, postgres]) removeOwner(owned)
  const state = join(at.dir, 'exported')
  const env = {
    PATH: [bin, dirname(programs?.postgres ?? ''), dirname(execPath), at.env.PATH ?? ''].join(':'),
  }
  const execute = (script: string): Promise<Finished> =>
    run('bash', ['-c', `set -euo pipefail\n[ ! -f ${state} ] || . ${state}\n${script}\nexport -p > ${state}`], {
      at,
      env,
      asAnonymous: true,
    })

  async function type(script: string): Promise<string> {
    const replacements = new Map(actual.toReversed())
    // In one pass, because a port of this machine, as 44011, can contain one of the page.
    const text = script.replaceAll(documentedTexts(actual), (found) => replacements.get(found) ?? found)
    const { exitCode, stdout, stderr } = await execute(text)
    expect(exitCode, `${script}\n${stdout}\n${stderr}`).toBe(0)
    return stdout
  }

  afterFile(async () => {
    for (const name of readdirSync(at.dir).filter((it) => it.startsWith('lib-parley'))) endServer(join(at.dir, name))
    if (coordinator === undefined) await execute('pg_ctl --mode immediate --wait stop')
  })

  const ask = async (statement: string): Promise<string> =>
    (await type(`psql -d parley -Atc "${statement}"`)).trim().split('\n')[0] ?? ''

  for (const script of settings) await type(script)
  if (coordinator === undefined)
    await type(`initdb --username postgres --auth trust --encoding UTF8 --locale C --no-sync --wal-segsize 1 > /dev/null
cat >> "$PGDATA/postgresql.conf" <<END
port = $PGPORT
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_wal_size = 4MB
min_wal_size = 2MB
END
sed -i '1i host all parley 127.0.0.1/32 scram-sha-256' "$PGDATA/pg_hba.conf"
pg_ctl --log "$PGDATA/server.log" --wait start > /dev/null`)
  if (hasDatabase && coordinator === undefined)
    await type(
      `psql -qd postgres -c "create role parley login password 'first'" -c "create database parley owner parley encoding 'UTF8' template template0"`,
    )

  return {
    at,
    data,
    type,
    ask,
    port,
    replace: (documented, to) => void actual.unshift([documented, to]),
    client(prefix, ...ports) {
      const created: string[] = []
      const failed: string[] = []
      const refusals: string[] = []
      let isOver = false
      /** Repeats a request on the next server, as a client behind a load balancer does, until one accepts it. */
      const send = async (number: string, n: number): Promise<void> => {
        const key = keyOf(existsSync(data('-1')) ? data('-1') : data())
        for (let tries = 0; !isOver; tries++) {
          const url = `http://127.0.0.1:${port(ports[(n + tries) % ports.length] as number)}/api/user/lead`
          try {
            const answer = await fetch(url, {
              method: 'POST',
              headers: {
                authorization: `Bearer ${key}`,
                'content-type': 'application/json',
                'idempotency-key': number,
                connection: 'close',
              },
              body: JSON.stringify({ campaign_id: 2, phone_number: number }),
            })
            const text = `${answer.status} ${await answer.text()}`
            if (answer.ok) return void created.push(number)
            if (answer.status !== 503) return void failed.push(`${number}: ${text}`)
            refusals.push(text)
          } catch (error) {
            refusals.push(String((error as Error).cause ?? error))
          }
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
      const ended = (async () => {
        for (let n = 0; !isOver; n++) await send(`+1415${prefix}${String(n).padStart(4, '0')}`, n)
      })()
      return {
        created,
        failed,
        refusals,
        async stop() {
          isOver = true
          await ended
        },
      }
    },
    async requireStored({ created }) {
      const numbers = created.map((it) => `'${it}'`).join(', ')
      expect(await ask(`select count(*) from lead where phone_number in (${numbers})`)).toBe(String(created.length))
      await type('parley server check')
      return created.length
    },
  }
}

const keyOf = (folder: string): string => String(JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')).key)

/** Ends the server of a data folder, if it runs. */
function endServer(folder: string): void {
  const file = join(folder, 'server.json')
  if (!existsSync(file)) return
  try {
    process.kill(Number(JSON.parse(readFileSync(file, 'utf8')).pid), 'SIGKILL')
  } catch {
    // It has ended before.
  }
}
