import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { findSubjects } from './every-command.ts'
import { type Figure, limit, median, quantile, ratio } from './measurements.ts'
import { makeHome, program, timed, timedProgram } from './processes.ts'

const section = 'binary'

/**
 * Builds the single executable with the Node that runs this, and measures it against the package on the same Node, in
 * turns: `--version`, the first example of every command that needs no other machine, and the sizes of the file. `rounds`
 * are those of `--version`; a command has an eighth of them, at least two.
 */
export async function binary(rounds: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-binary-'))
  // One home for each, so that neither reads what the other has stored.
  const [own, other] = [makeHome(), makeHome()]
  try {
    const file = join(folder, 'parley')
    const build = join(import.meta.dirname, '../../scripts/binary.mjs')
    await promisify(execFile)(process.execPath, [build, '--node', process.execPath, '--out', file])
    const executable = (args: readonly string[]) => timedProgram(file, args, own.env, own.folder)
    const packaged = (args: readonly string[]) => timed([program, ...args], other.env, other.folder)

    const versions = { executable: [] as number[], packaged: [] as number[], floor: [] as number[] }
    await executable(['--version'])
    for (let round = 0; round < rounds; round++) {
      versions.floor.push(await timed(['-e', '0'], other.env))
      versions.packaged.push(await packaged(['--version']))
      versions.executable.push(await executable(['--version']))
    }

    const subjects = await findSubjects(other)
    const times = subjects.map(() => ({ executable: [] as number[], packaged: [] as number[] }))
    const floor: number[] = []
    // A command that refuses to write its file again has no time.
    const none = () => Number.NaN
    for (const { args } of subjects) await executable(args).catch(none)
    for (let round = 0; round < Math.max(2, Math.ceil(rounds / 8)); round++)
      for (const [n, { args }] of subjects.entries()) {
        if (n % 10 === 0) floor.push(await timed(['-e', '0'], other.env))
        times[n]?.packaged.push(await packaged(args).catch(none))
        times[n]?.executable.push(await executable(args).catch(none))
      }
    const found = times
      .map((it) => ({ executable: median(it.executable), packaged: median(it.packaged) }))
      .filter((it) => !Number.isNaN(it.executable + it.packaged))
    const ratios = found.map((it) => it.executable / it.packaged)
    const over = (which: 'executable' | 'packaged') => median(found.map((it) => it[which])) / median(floor)
    return [
      {
        section,
        what: '--version / package',
        ...ratio(versions.executable, versions.packaged),
        budget: limit(1.1),
      },
      { section, what: '--version / node -e 0', ...ratio(versions.executable, versions.floor) },
      {
        section,
        what: `${found.length} commands / package: median`,
        value: median(ratios),
        unit: 'x',
        spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
        budget: limit(1),
      },
      { section, what: '  executable / node -e 0', value: over('executable'), unit: 'x' },
      { section, what: '  package / node -e 0', value: over('packaged'), unit: 'x' },
      { section, what: 'file', value: statSync(file).size / 1e6, unit: 'MB', budget: limit(130) },
      {
        section,
        what: 'file, gzip',
        value: gzipSync(readFileSync(file), { level: 9 }).length / 1e6,
        unit: 'MB',
        budget: limit(50),
      },
    ]
  } finally {
    for (const home of [own, other]) home.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
