import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { describe, expect, test } from 'vitest'
import { addProgram, bin, type Finished, launch, newPlace, type Place, run } from '../e2e/support/built-program.ts'
import { atTerminal } from '../e2e/support/program-terminal.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')
const fenced = (kind: string, text = readme): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n([^]*?)^\`\`\`$`, 'gm'))].map((it) => it[1] as string)
const inline = [...readme.matchAll(/`([^`\n]+)`/g)].map((it) => it[1] as string)
const [setUp, tests, tour, ...unknown] = fenced('sh') as [...[string, string, string], ...string[]]
// Scripts of the documentation; its command lines are run by test/docs/commands-run.full.test.ts.
const [serve, talk, elsewhere, ...unknownScripts] = fenced('bash', page('local-platform.md')) as [
  ...[string, string, string],
  ...string[],
]
const [recipe, ...unknownRecipes] = fenced('bash', page('exit-codes.md')) as [string, ...string[]]

const littleCurl = `const headers = process.argv.slice(2, -1).filter((it) => it !== '-H').map((it) => it.split(': '))
fetch(process.argv.at(-1), { headers }).then((it) => it.text()).then((it) => process.stdout.write(it))
`

/** Somebody with the built program on the path, as the README says. */
function reader(): { readonly at: Place; sh(script: string): Promise<Finished> } {
  const at = newPlace()
  const path = join(at.dir, 'bin')
  addProgram(path)
  // On machines without curl, this is as much of it as the README needs.
  if (!(process.env.PATH ?? '').split(delimiter).some((it) => existsSync(join(it, 'curl'))))
    writeFileSync(join(path, 'curl'), `#!${execPath}\n${littleCurl}`)
  for (const name of readdirSync(path)) chmodSync(join(path, name), 0o755)
  const env = { PATH: `${path}:${dirname(execPath)}:${at.env.PATH}` }
  return { at, sh: (script) => run('bash', ['-c', script], { at, env }) }
}

const lines = (block: string): string[] => block.split('\n').filter((it) => it !== '')

describe('every shell line in the README, and every script in docs, runs unchanged', () => {
  test('and is in this test, block by block', () => {
    expect([...unknown, ...unknownScripts, ...unknownRecipes]).toEqual([])
    const scripts = readdirSync(join(root, 'docs')).filter(
      (it) => it.endsWith('.md') && fenced('bash', page(it)).length > 0,
    )
    // Those of operations.md run in operations-walkthrough.full.test.ts, those of runbooks.md in runbooks.full.test.ts.
    expect(scripts).toEqual(['exit-codes.md', 'local-platform.md', 'operations.md', 'runbooks.md'])
    for (const block of fenced('sh')) expect(block).not.toBe('')
  })

  // The reader has installed the package already, and these are the tests themselves.
  test('for setup, demonstration and tests', async () => {
    expect([lines(setUp), lines(tests)]).toEqual([['npm ci && npm run demo'], ['npm ci && npm test']])
    expect(manifest.scripts.test).toMatch(/vitest(\.mjs)? run/)
    const { at, sh } = reader()
    symlinkSync(dirname(bin), join(at.dir, 'program'))
    writeFileSync(
      join(at.dir, 'package.json'),
      JSON.stringify({ ...manifest, scripts: { demo: manifest.scripts.demo?.replace('bin/', 'program/') } }),
    )
    const { exitCode, stdout, stderr } = await sh('npm run demo')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('End of the tour.')
  })

  test('in the tour of five minutes, whose comments name the exit codes', async () => {
    const { sh } = reader()
    expect(lines(tour).length).toBeGreaterThan(6)
    for (const line of lines(tour)) {
      // There is no terminal to answer prompts.
      const code = line.includes('# on a terminal') ? 2 : Number(/# exit (\d+)/.exec(line)?.[1] ?? 0)
      const { exitCode, stdout, stderr } = await sh(line)
      expect(`${line}: ${exitCode}`, stderr).toBe(`${line}: ${code}`)
      expect(stdout === '').toBe(code !== 0)
    }
  })

  test('with a server: requests by curl and by a profile, and stopping it', async () => {
    const { at, sh } = reader()
    const running = launch('bash', ['-c', serve], { at, env: { PATH: `${join(at.dir, 'bin')}:${at.env.PATH}` } })
    const url = await running.until('Listening on ')
    const { exitCode, stdout, stderr } = await sh(`set -e\n${talk}echo\n${elsewhere}`)
    expect(exitCode, stderr).toBe(0)
    const [answers = '', ...rest] = stdout.split('\n')
    expect(answers).toMatch(/^\{"api_keys":\[.*"name":"laptop"/)
    expect(answers).toContain('"openapi":"3.')
    expect(rest.join('\n')).toContain(`Base URL\t${url}`)
    expect(rest.join('\n')).toContain(`Stopped ${url}.`)
    expect((await running.ended).exitCode).toBe(0)
  })

  test('as a CI job: it buys a number once, and reports it when the same one is bought again', async () => {
    const { at, sh } = reader()
    const first = await sh(recipe)
    expect([first.exitCode, first.stdout]).toEqual([0, expect.stringMatching(/^bought \+1\d{10}\n$/)])
    const bought = JSON.parse(readFileSync(join(at.dir, 'bought.json'), 'utf8'))
    expect(first.stdout).toBe(`bought ${bought.phone_number}\n`)
    // The search no longer shows it, so a second run would buy the next one; the same number again is exit 5.
    expect(await sh(`parley numbers buy ${bought.phone_number} --yes --json`)).toMatchObject({
      exitCode: 5,
      stdout: '',
    })
  })

  test('for shell completion', async () => {
    const { at, sh } = reader()
    const [install, bash] = inline.filter((it) => it.includes('parley completion '))
    expect(await sh(`set -e\nexport SHELL=/bin/bash\n${install}\n${bash}\ncomplete -p parley`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('-F _parley parley'),
    })
    expect(readFileSync(join(at.dir, '.bashrc'), 'utf8')).toContain('completion')
  })
})

test('a search and a purchase look in a terminal as in the README', async () => {
  const at = newPlace()
  const [shown = ''] = fenced('text').filter((it) => it.startsWith('$ parley'))
  for (const session of shown.trim().split('\n\n')) {
    const [command = '', ...said] = session.split('\n')
    const question = said.findIndex((it) => it.startsWith('? '))
    const steps = question < 0 ? [] : ([['(y/N)', 'y\r']] as const)
    const { exitCode, screen } = await atTerminal(command.replace('$ parley ', ''), steps, { at, columns: 160 })
    expect(exitCode).toBe(0)
    const seen = screen.replaceAll('\r', '').split('\n')
    for (const line of said.map((it) => it.replace(/ \(y\/N\) y$/, '')))
      expect(
        seen.some((it) => it.replace(/^\W+(?=Buy )/, '? ').startsWith(line)),
        line,
      ).toBe(true)
  }
})

test('the example of tests with a local platform passes, run by vitest against the built package', async () => {
  const examples = fenced('js', page('testing-with-parley.md'))
  // scripts/check-runners.mjs runs all of them with the runner that their first line names.
  for (const example of examples) expect(example).toMatch(/^\/\/ \S+ \((vitest|Jest|node:test)\)\n/)
  const example = examples.find((it) => it.includes('(vitest)')) ?? ''
  const at = newPlace()
  const packages = join(at.dir, 'node_modules')
  mkdirSync(join(packages, 'parley-cli'), { recursive: true })
  symlinkSync(join(root, 'node_modules/vitest'), join(packages, 'vitest'))
  symlinkSync(join(dirname(bin), '../dist'), join(packages, 'parley-cli/dist'))
  writeFileSync(join(packages, 'parley-cli/package.json'), JSON.stringify(manifest))
  writeFileSync(join(at.dir, 'package.json'), '{"type":"module"}')
  writeFileSync(join(at.dir, 'example.test.js'), example)
  const { exitCode, stdout, stderr } = await run(
    execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', at.dir],
    {
      at,
      env: { CI: '1', NO_COLOR: '1' },
    },
  )
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringMatching(/Tests\s+2 passed/)])
})

test('CONTRIBUTING is right: the program runs from source without a build, and its errors name lines of the sources', async () => {
  const at = newPlace()
  const dev = ['scripts/run.mjs', 'scripts/dev.ts']
  expect(manifest.scripts.dev).toBe(`node ${dev.join(' ')}`)
  const words = dev.map((it) => join(root, it))
  expect(await run(execPath, [...words, 'keys', 'list', '-o', 'id'], { at })).toMatchObject({
    exitCode: 0,
    stdout: '1\n2\n3\n',
  })
  expect(await run(execPath, [...words, 'tools', 'get', '99'], { at })).toMatchObject({ exitCode: 4, stdout: '' })
  const broken = join(at.dir, 'broken.ts')
  writeFileSync(
    broken,
    '// A line before it.\nconst fail = (text: string): never => {\n  throw new Error(text)\n}\nfail("broken")\n',
  )
  const { exitCode, stderr } = await run(execPath, [words[0] as string, broken], { at })
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('broken.ts:3')])
})
