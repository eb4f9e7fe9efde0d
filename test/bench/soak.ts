/**
 * Four clients buy a thousand numbers from a server that is killed with `kill -9` three times on the way.
 * Arguments: how many (1000), and a `postgres://...` URL of an empty database where it should not be a file.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { soak } from '../server/soak.ts'

async function main([count = '1000', database]: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-soak-'))
  try {
    const { wrong, acknowledged, resent, seconds } = await soak({ folder, purchases: Number(count), kills: 3, ...(database !== undefined && { database }) })
    process.stdout.write(
      `${acknowledged} of ${count} purchases acknowledged in ${seconds.toFixed(1)} s, ${resent} requests sent again, ${wrong.length} wrong\n`,
    )
    for (const it of wrong) process.stderr.write(`${it}\n`)
    if (wrong.length > 0 || acknowledged !== Number(count)) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main(process.argv.slice(2))
