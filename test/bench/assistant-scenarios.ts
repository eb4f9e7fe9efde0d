import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Figure, limit, median } from './measurements.ts'
import { makeHome, program } from './processes.ts'

/** Measures `assistants test` with the twenty scenarios of the sample assistants, offline: seconds of the whole program. */
export async function assistantScenarios(rounds: number): Promise<readonly Figure[]> {
  const { folder, env, remove } = makeHome()
  const run = async (...words: string[]): Promise<number> => {
    const start = performance.now()
    const child = spawn(process.execPath, [program, ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`parley ${words.join(' ')} ended with ${code}.`)
    return (performance.now() - start) / 1000
  }
  try {
    const project = join(folder, 'parley')
    await run('demo', '--project', project)
    const seconds: number[] = []
    for (let round = 0; round < rounds; round++) seconds.push(await run('assistants', 'test', project, '--quiet'))
    return [{ section: 'scenarios', what: '20 scenarios', value: median(seconds), unit: 's', budget: limit(10) }]
  } finally {
    remove()
  }
}
