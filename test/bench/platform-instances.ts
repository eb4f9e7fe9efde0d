import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { makeHome, program } from './processes.ts'

const section = 'platforms'

/** Program that imports the package and prints how long further platforms and resets take in one process. */
const instances = (count: number): string => `
const { startPlatform } = require(${JSON.stringify(join(dirname(program), '../dist/platform.js'))})
const took = async (work) => { const from = performance.now(); const result = await work(); return [performance.now() - from, result] }
const run = async () => {
  const figures = { start: [], reset: [], close: [] }
  for (let n = 0; n < ${count}; n++) {
    const [start, platform] = await took(() => startPlatform({ seed: 7 }))
    figures.start.push(start)
    for (let times = 0; times < 3; times++) figures.reset.push((await took(() => platform.control('POST', 'reset', { seed: 7 })))[0])
    figures.close.push((await took(() => platform.close()))[0])
  }
  console.log(JSON.stringify(figures))
}
run()`

/** Measures further platforms of the package in one process, and how long they take to reset to the sample data. */
export async function platforms(rounds: number): Promise<readonly Figure[]> {
  const { env, folder, remove } = makeHome()
  try {
    const { stdout } = await execa(process.execPath, ['-e', instances(rounds + 3)], {
      env: { ...env, TMPDIR: folder },
      extendEnv: false,
    })
    const figures = JSON.parse(stdout) as Readonly<Record<'start' | 'reset' | 'close', number[]>>
    const figure = (what: string, all: readonly number[], warmUp: number): Figure => {
      const values = all.slice(warmUp)
      return {
        section,
        what,
        value: median(values),
        unit: 'ms',
        spread: [quantile(values, 0.25), quantile(values, 0.75)],
      }
    }
    return [
      { ...figure('another platform in one process', figures.start, 3), budget: limit(12) },
      { ...figure('reset to the sample data', figures.reset, 9), budget: limit(5) },
      figure('close', figures.close, 3),
    ]
  } finally {
    remove()
  }
}
