import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import '../../src/cli/resources.ts'
import '../../src/cli/tree.ts'
import { riskOf } from '../../src/cli/program/commandline/command.ts'
import { findCommand } from '../../src/cli/program/commandline/find-command.ts'
import { allCommands } from '../../src/generate/reference-files.ts'
import { splitWords } from '../support/split-words.ts'
import { bin, filledPlace, newFolder, newPlace, parley, program, run, start } from './support/built-program.ts'

// What only a single executable has, and every command of one: PARLEY_BINARY names it.

const [binary] = program

/** Commands that start servers, wait for a person or for events, or use other machines. */
const notRun =
  /^(?:server (?:start|stop|migrate|reset|seed|restore|drain)|demo|ui|open|login|completion|events|promote|api)\b/

describe.runIf(process.env.PARLEY_BINARY)('the single executable', () => {
  test('needs no Node, no package and no folder beside it', async () => {
    const at = newPlace()
    const { exitCode, stdout } = await run(binary, ['--version'], { at, env: { PATH: '' } })
    expect([exitCode, stdout]).toEqual([0, (await run(process.execPath, [bin, '--version'], { at })).stdout])
  })

  test('prints help and completion, and filters with jq', async () => {
    const at = await filledPlace(7)
    expect((await parley('numbers buy --help', { at })).stdout).toContain('Usage: parley numbers buy')
    expect((await parley('__complete -- numb', { at })).stdout).toContain('numbers')
    expect((await parley('completion bash', { at })).stdout).toContain('complete ')
    expect((await parley(['keys', 'list', '--jq', 'length'], { at })).stdout).toBe('3\n')
  })

  test('serves the page of the inspector', async () => {
    const server = start('server start --port 0', { at: newPlace() })
    const url = (await server.until('Listening on ')).split(' ')[0]
    const page = await fetch(`${url}/_parley/`)
    expect(page.status).toBe(200)
    const script = /src="([^"]+)"/.exec(await page.text())?.[1] ?? ''
    expect((await fetch(new URL(script, page.url))).status).toBe(200)
    server.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ exitCode: 0 })
  })

  test('replaces a damaged driver, and names the variable where it cannot write one', async () => {
    const at = newPlace()
    const cache = join(at.dir, 'cache')
    const list = (folder: string) => parley('keys list -o id', { at, env: { PARLEY_CACHE_DIR: folder } })
    const whole = await list(cache)
    expect(whole).toMatchObject({ exitCode: 0, stderr: '' })
    const drivers = readdirSync(cache).filter((it) => it.endsWith('.node'))
    for (const name of drivers) truncateSync(join(cache, name), 1000)
    expect(await list(cache)).toEqual(whole)
    writeFileSync(join(at.dir, 'file'), '')
    const refused = await list(join(at.dir, 'file/cache'))
    // A Node with its own SQLite needs no folder.
    if (drivers.length === 0) expect(refused).toMatchObject({ exitCode: 0 })
    else expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Set PARLEY_CACHE_DIR to') })
  })

  test('a download that is incomplete is refused by its checksum', () => {
    const folder = newFolder()
    const [sum = ''] = readFileSync(`${binary}.sha256`, 'utf8').split(' ')
    const check = (content: Buffer) => {
      writeFileSync(join(folder, 'parley'), content)
      return () => execFileSync('sha256sum', ['--check'], { cwd: folder, input: `${sum}  parley\n`, stdio: 'pipe' })
    }
    const content = readFileSync(binary)
    expect(check(content)).not.toThrow()
    expect(check(content.subarray(0, content.length / 2))).toThrow(/did NOT match/)
  })

  test('runs every command: each help page, and the first example as the package does', async () => {
    const [at, other] = [await filledPlace(7), await filledPlace(7)]
    const differing: string[] = []
    const commands = await allCommands()
    for (const [words, command] of commands) {
      const { exitCode } = await parley(`${words} --help`, { at })
      if (exitCode !== 0) differing.push(`${words} --help: ${exitCode}`)
      const { node } = findCommand(words.split(' '))
      const isRead = riskOf(command) === 'read'
      if (notRun.test(words) || (node?.load && node.isLongRunning)) continue
      if (!isRead && !command.endpoint && !command.supportsPreview) continue
      const example = command.examples[0] ?? ''
      const args = splitWords(
        `${words} ${example}${isRead || example.includes('--dry-run') ? '' : ' --dry-run'}`,
      ).filter(Boolean)
      const [found, expected] = await Promise.all([
        parley(args, { at }),
        run(process.execPath, [bin, ...args], { at: other }),
      ])
      if (found.exitCode !== expected.exitCode || /failed unexpectedly/.test(found.stderr))
        differing.push(`${args.join(' ')}: ${found.exitCode} for ${expected.exitCode}: ${found.stderr}`)
    }
    expect(commands.length).toBeGreaterThan(100)
    expect(differing).toEqual([])
  })
})
