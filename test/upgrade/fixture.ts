import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { inProcessTransport } from '../../src/client/transport/in-process-transport.ts'
import { openPlatform } from '../../src/platform/compose.ts'
import { type Operator, operator, type Run, type RunOptions, today } from '../support/operator.ts'

const made = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/0.1')

/** An operator whose folders version 0.1 has written. The profile `practice` reaches the second of its platforms. */
export interface Upgraded extends Operator {
  /** Runs a command that reaches the profile `practice`. */
  elsewhere(line: string, options?: RunOptions): Promise<Run>
}

/** Copies the fixtures of version 0.1 for one test. */
export function upgraded(): Upgraded {
  const by = operator({ fresh: true, supports: 'neutral' })
  const folder = dirname(by.cwd)
  const remote = join(folder, 'remote')
  for (const [from, to] of [
    ['config', by.configDir],
    ['data', by.dataDir],
    ['remote', remote],
    ['work', by.cwd],
  ] as const)
    unpack(join(made, from), to, folder)
  return {
    ...by,
    async elsewhere(line, options) {
      const isAlive = (): boolean => false
      const platform = await openPlatform({ dataDir: remote, wall: () => today, pid: process.pid + 1, isAlive })
      try {
        const connect = async (base: string) => ({ ...inProcessTransport(platform.handle), base })
        return await by.run(line, { connect, ...options })
      } finally {
        await platform.due.drain(2000)
        await platform.close()
      }
    },
  }
}

/** An operator whose platform has automations that commit 16dbdf4e has published: the engine was of the first generation. */
export function withFirstEngine(): Operator {
  const by = operator({ fresh: true, supports: 'neutral' })
  unpack(join(made, '../engine-1'), by.dataDir, dirname(by.cwd))
  return by
}

/** Unpacks databases, and puts the folder of the copy where the fixtures name one. */
function unpack(from: string, to: string, folder: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    if (statSync(source).isDirectory()) unpack(source, target, folder)
    else if (name.endsWith('.gz')) writeFileSync(target.slice(0, -3), gunzipSync(readFileSync(source)), { mode: 0o600 })
    else writeFileSync(target, readFileSync(source, 'utf8').replaceAll('/fixture', folder), { mode: 0o600 })
  }
}
