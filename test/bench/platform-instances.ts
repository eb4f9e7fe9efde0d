import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { makeHome, program } from './processes.ts'

const section = 'platforms'

/** Program that imports the package and prints how long further platforms and resets take in one process. */
const instances = (count: number): string => `
const { startPlatform } = require(${JSON.stringify(join(dirname(program), '../dist/platform.js'))})
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
const took = async (work) => {
  const [from, cpuFrom] = [performance.now(), cpuMs()]
  const result = await work()
  return [[performance.now() - from, cpuMs() - cpuFrom], result]
}
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
    const figures = JSON.parse(stdout) as Readonly<Record<'start' | 'reset' | 'close', [ms: number, cpuMs: number][]>>
    const figure = (what: string, values: readonly number[], budget?: Figure['budget']): Figure => ({
      section,
      what,
      value: median(values),
      unit: 'ms',
      spread: [quantile(values, 0.25), quantile(values, 0.75)],
      ...(budget && { budget }),
    })
    const both = (what: string, all: readonly [number, number][], warmUp: number, budget?: Figure['budget']) => [
      figure(
        what,
        all.slice(warmUp).map(([ms]) => ms),
        budget,
      ),
      figure(
        '  CPU time',
        all.slice(warmUp).map(([, cpuMs]) => cpuMs),
      ),
    ]
    return [
      ...both('another platform in one process', figures.start, 3, limit(12)),
      ...both('reset to the sample data', figures.reset, 9, limit(5)),
      ...both('close', figures.close, 3),
    ]
  } finally {
    remove()
  }
}
