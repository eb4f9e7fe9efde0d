import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import '../../src/cli/resources.ts'
import '../../src/cli/tree.ts'
import { riskOf } from '../../src/cli/program/commandline/command.ts'
import { findCommand } from '../../src/cli/program/commandline/find-command.ts'
import { allCommands } from '../../src/generate/reference-files.ts'
import { splitWords } from '../support/split-words.ts'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { type Home, program, timed } from './processes.ts'

const section = 'start-up'

/** Milliseconds within which a command ends that does not wait for anything. */
const endsWithinMs = 10_000

/** Commands that start servers, wait for a person or for events, or use other machines. */
const notMeasured =
  /^(?:server (?:start|stop|migrate|reset|seed|restore|drain)|demo|ui|open|login|completion|events|assistants test|promote|push|pull|api)\b/

/** First example of a command. */
export interface Subject {
  readonly line: string
  readonly args: readonly string[]
}

/** Runs a command once, in the folder of the home. Returns its exit code; undefined if it takes too long. */
async function exitOf(args: readonly string[], { env, folder }: Home): Promise<number | null | undefined> {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env, stdio: 'ignore' })
  const tooLong = setTimeout(() => child.kill(), endsWithinMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(tooLong)
  return code
}

/** Returns the first example of every command that ends with 0 on the sample data; a write only as a dry run. */
export async function findSubjects(home: Home): Promise<readonly Subject[]> {
  const found: Subject[] = []
  for (const [words, command] of await allCommands()) {
    const { node } = findCommand(words.split(' '))
    if (notMeasured.test(words) || (node?.load && node.isLongRunning)) continue
    const isRead = riskOf(command) === 'read'
    if (!isRead && !command.endpoint && !command.supportsPreview) continue
    const line =
      `${words} ${command.examples[0] ?? ''}${isRead || command.examples[0]?.includes('--dry-run') ? '' : ' --dry-run'}`
        .replaceAll(/ +/g, ' ')
        .trim()
    const args = splitWords(line)
    if ((await exitOf(args, home)) === 0) found.push({ line, args })
  }
  return found
}

/** Counts the files of the built program that a command reads, and their kB. */
async function loadedBy({ args }: Subject, { env, folder }: Home): Promise<string> {
  const own = mkdtempSync(join(folder, 'loaded-'))
  try {
    const counter = join(own, 'counter.cjs')
    const seen = join(own, 'seen')
    writeFileSync(
      counter,
      `const fs = require('fs'); const read = fs.readFileSync; let files = 0, bytes = 0
fs.readFileSync = function (file, ...more) { const text = read.call(this, file, ...more); if (/[\\\\/]dist[\\\\/].*\\.js$/.test(String(file))) { files++; bytes += text.length } return text }
process.once('exit', () => fs.writeFileSync(${JSON.stringify(seen)}, files + ' files of ' + Math.round(bytes / 1000) + ' kB'))`,
    )
    await timed(['--require', counter, program, ...args], env, folder)
    return readFileSync(seen, 'utf8')
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

/**
 * Measures the first example of every command that needs no other machine, on the local platform and over loopback,
 * against `node -e 0` in the same run: the median and the 90th percentile of the commands, and the ten slowest with what
 * they read of the program.
 */
export async function everyCommand(
  rounds: number,
  own: Home,
  served: Home,
  say: (text: string) => void,
): Promise<Figure[]> {
  const subjects = await findSubjects(own)
  const figures: Figure[] = []
  for (const [where, home] of [
    ['embedded platform', own],
    ['server on loopback', served],
  ] as const) {
    const floor: number[] = []
    const times = subjects.map((): number[] => [])
    for (const { args } of subjects) await exitOf(args, home)
    for (let round = 0; round < rounds; round++)
      for (const [n, { args }] of subjects.entries()) {
        if (n % 10 === 0) floor.push(await timed(['-e', '0'], home.env))
        times[n]?.push(await timed([program, ...args], home.env, home.folder).catch(() => Number.NaN))
      }
    const base = median(floor)
    const ratios = subjects
      .map((it, n) => ({ ...it, value: median((times[n] ?? []).filter((ms) => !Number.isNaN(ms))) / base }))
      .filter((it) => !Number.isNaN(it.value))
      .sort((a, b) => b.value - a.value)
    const values = ratios.map((it) => it.value)
    figures.push(
      {
        section,
        what: `${ratios.length} commands, ${where}: median`,
        value: median(values),
        unit: 'x',
        budget: limit(2.6),
      },
      { section, what: '  90th percentile', value: quantile(values, 0.9), unit: 'x', budget: limit(3.3) },
      { section, what: '  slowest', value: values[0] ?? Number.NaN, unit: 'x', budget: limit(6) },
    )
    for (const ratio of ratios.slice(0, 10))
      say(`  ${ratio.value.toFixed(2)} x  parley ${ratio.line.slice(0, 70)}: ${await loadedBy(ratio, home)}`)
  }
  return figures
}
