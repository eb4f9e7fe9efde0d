/**
 * Four clients buy a thousand numbers, and forty accounts send two hundred messages, through a server that is killed with `kill -9` three times on the way.
 * Then twenty thousand hostile requests go to every endpoint, the same ones for the same seed.
 * Then automations run a thousand times in a server that is killed a hundred times.
 * Arguments: how many purchases (1000), how many sends (200), how many hostile requests (20000), their seed (another one every time),
 * how many runs (1000). None of a kind with 0.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attack } from '../server/hostile.ts'
import { runSoak } from '../server/run-soak.ts'
import { sendSoak } from '../server/send-soak.ts'
import { soak } from '../server/soak.ts'

interface Ended {
  readonly wrong: readonly string[]
  readonly acknowledged: number
  readonly resent: number
}

/** Runs one soak in a folder of its own and tells how it ended; true when nothing was lost, doubled or half-done. */
async function run(what: string, wanted: number, body: (folder: string) => Promise<Ended>): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-soak-'))
  const start = performance.now()
  try {
    const { wrong, acknowledged, resent } = await body(folder)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    process.stdout.write(`${acknowledged} of ${wanted} ${what} acknowledged in ${seconds} s, ${resent} requests sent again, ${wrong.length} wrong\n`)
    for (const it of wrong) process.stderr.write(`${it}\n`)
    return wrong.length === 0 && acknowledged === wanted
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** True when every hostile request was answered or refused as documented. */
async function attacked(requests: number, seed: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-hostile-'))
  const start = performance.now()
  try {
    const { wrong, taken } = await attack({ dataDir: folder }, requests, seed)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    process.stdout.write(`${requests} hostile requests with seed ${seed} in ${seconds} s, ${taken} carried out, ${wrong.length} wrong\n`)
    for (const it of wrong) process.stderr.write(`${it}\n`)
    return wrong.length === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [purchases = 1000, sends = 200, hostile = 20_000, seed = Math.floor(Math.random() * 2 ** 31), runs = 1000] = process.argv.slice(2).map(Number)
const bought = purchases === 0 || (await run('purchases', purchases, (folder) => soak({ folder, purchases, kills: 3 })))
const sent = sends === 0 || (await run('sends', sends, (folder) => sendSoak({ folder, sends, accounts: 40, kills: 3 })))
const refused = hostile === 0 || (await attacked(hostile, seed))
const ran = runs === 0 || (await run('runs', runs, (folder) => runSoak({ folder, runs, kills: Math.ceil(runs / 10) })))
if (!bought || !sent || !refused || !ran) process.exitCode = 1
