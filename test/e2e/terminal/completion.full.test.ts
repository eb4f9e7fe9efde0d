import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Step } from '../../support/terminal.ts'
import { addProgram, newPlace, parley, run } from '../support/built-program.ts'
import { programAtTerminal } from '../support/program-terminal.ts'

// Completion in a real bash, with the script that `parley completion bash` prints and parley on the path.

const at = newPlace()
const path = join(at.dir, 'bin')
const env = { PATH: [path, process.env.PATH].join(delimiter), PS1: '$ ', HISTFILE: '/dev/null' }

beforeAll(async () => {
  addProgram(path)
  // As bash itself does it: words split at the characters of COMP_WORDBREAKS, the line and the place of the cursor beside them.
  writeFileSync(
    join(at.dir, 'ask.sh'),
    `eval "$(parley completion bash)"
for COMP_LINE in "$@"; do
  COMP_POINT=\${#COMP_LINE}
  IFS=$'\\n' read -rd '' -a COMP_WORDS < <(grep -oE '[=:]+|[^ =:]+' <<<"$COMP_LINE")
  [[ "$COMP_LINE" == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _parley
  printf '%s\\n' "\${COMPREPLY[*]}"
done
`,
  )
})

/** What bash would offer for each of these lines, the cursor at their ends. */
async function offers(...lines: readonly string[]): Promise<string[][]> {
  const { stdout, stderr, exitCode } = await run('bash', [join(at.dir, 'ask.sh'), ...lines], { at, env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((it) => it.split(' ').filter(Boolean))
}

describe('bash', () => {
  test('offers nouns, verbs, and verbs of aliases', async () => {
    const [nouns, ke, verbs, deep, alias, none] = await offers(
      'parley ',
      'parley ke',
      'parley numbers ',
      'parley server clock ',
      'parley key ',
      'parley nothing ',
    )
    expect(nouns).toEqual(expect.arrayContaining(['keys', 'tools', 'numbers', 'server', 'whoami', 'completion']))
    expect(ke).toEqual(['keys'])
    expect(verbs).toEqual(['search', 'buy', 'list', 'get', 'update', 'release'])
    expect(deep).toEqual(['get', 'freeze', 'advance', 'until', 'resume'])
    expect(alias).toEqual(['list', 'get', 'create', 'delete', 'rotate'])
    expect(none).toEqual([])
  })

  test('offers the flags of the command and the global ones', async () => {
    const [own, all, last, after] = await offers(
      'parley numbers buy --m',
      'parley tools update 1 --',
      'parley keys list --json --no-',
      'parley keys list -- --',
    )
    expect(own).toEqual(['--max-price'])
    expect(all).toEqual(expect.arrayContaining(['--description', '--tool-timeout', '--set-json', '--output', '--yes']))
    expect(last).toEqual(expect.arrayContaining(['--no-color', '--no-header', '--no-input']))
    expect(after).toEqual([])
  })

  test('offers values of a flag, after a space and after an equals sign', async () => {
    const [spaced, started, equals, bare, color] = await offers(
      'parley keys list -o ',
      'parley tools create --method P',
      'parley keys list --output=y',
      'parley keys list --output=',
      'parley --color al',
    )
    expect(spaced).toEqual(['table', 'json', 'ndjson', 'yaml', 'tsv', 'csv', 'id'])
    expect(started).toEqual(['POST', 'PUT', 'PATCH'])
    expect(equals).toEqual(['yaml'])
    expect(bare).toEqual(['table', 'json', 'ndjson', 'yaml', 'tsv', 'csv', 'id'])
    expect(color).toEqual(['always'])
  })

  test('works with a URL or a number in the line', async () => {
    const [noun, flag] = await offers(
      'parley --base-url http://127.0.0.1:4010 nu',
      'parley numbers buy +14155550123 --max',
    )
    expect([noun, flag]).toEqual([['numbers'], ['--max-price']])
  })
})

test('offers ids and names of listed resources without a request', async () => {
  expect((await parley('tools list', { at })).exitCode).toBe(0)
  expect((await parley('messaging senders', { at })).exitCode).toBe(0)
  const [name, id, flag, phone] = await offers(
    'parley tools get look',
    'parley tools delete 1',
    'parley messaging send --sender 1',
    'parley messaging send --sender=+',
  )
  expect([name, id, flag]).toEqual([['lookup_patient'], ['1'], ['1']])
  expect(phone).toEqual(expect.arrayContaining([expect.stringMatching(/^\+\d+$/)]))
})

test('works with the Tab key in an interactive bash', async () => {
  const steps: readonly Step[] = [
    ['$ ', 'eval "$(parley completion bash)"\r'],
    ['$ ', 'parley num\t'],
    ['parley numbers ', 'bu\t'],
    ['buy ', '+14155550123 --dry\t'],
    ['--dry-run ', '--output=js\t'],
    ['--output=json ', '\r'],
    ['"phone_number": "+14155550123"'],
    ['$ ', 'parley tools create --method DEL\t'],
    ['DELETE ', '\x15exit\r'],
  ]
  expect(
    (await programAtTerminal(['bash', '--norc', '--noprofile', '-i'], steps, { at, env, columns: 200 })).exitCode,
  ).toBe(0)
})

/** Shells with the line that loads the completion, and how they start without files of the user. */
const shells = [
  {
    shell: 'zsh',
    args: ['-f', '-i'],
    load: 'autoload -Uz compinit; compinit -u -D; eval "$(parley completion zsh)"; echo load""ed',
  },
  {
    shell: 'fish',
    args: ['--no-config', '-i', '-C', "function fish_prompt; printf '$ '; end"],
    load: 'parley completion fish | source; echo load""ed',
  },
  { shell: 'bash', args: ['--norc', '--noprofile', '-i'], load: 'eval "$(parley completion bash)"; echo load""ed' },
]
const isInstalled = (shell: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((it) => existsSync(join(it, shell)))

describe.each(shells)('the Tab key in an interactive $shell', ({ shell, args, load }) => {
  const missing = !isInstalled(shell)
  test.runIf(missing)(`NOT TRIED: ${shell} is not installed on this machine`, (context) =>
    context.skip(`${shell} is not installed`),
  )

  test.skipIf(missing)('quotes names with spaces, lists ids alone, and offers files for files', async () => {
    const place = newPlace()
    expect((await parley('server seed --seed 7', { at: place })).exitCode).toBe(0)
    mkdirSync(join(place.dir, 'only-a-file'))
    const steps: readonly Step[] = [
      ['$ ', `${load}\r`],
      ['loaded', `cd ${place.dir}; echo th""ere\r`],
      ['there', 'parley assistants get Fr\t'],
      ['get Front\\ desk', '\x15parley assistants get "Fr\t'],
      ['get "Front desk"', '\x15parley tools get look\t'],
      ['get lookup_patient', '\x15parley keys list --output=js\t'],
      ['--output=json', '\x15parley tools create --file only\t'],
      ['--file only-a-file/', '\x15exit\r'],
    ]
    const own = { ...env, HOME: place.dir, fish_greeting: '' }
    expect((await programAtTerminal([shell, ...args], steps, { at: place, env: own, columns: 200 })).exitCode).toBe(0)
  })

  test.skipIf(missing)('offers no files for an id', async () => {
    const place = newPlace()
    mkdirSync(join(place.dir, 'only-a-file'))
    const steps: readonly Step[] = [
      ['$ ', `${load}\r`],
      ['loaded', `cd ${place.dir}; echo th""ere\r`],
      ['there', 'parley tools get only\t\r'],
      ['No tool "only" found.', 'exit 0\r'],
    ]
    expect(
      (await programAtTerminal([shell, ...args], steps, { at: place, env: { ...env, HOME: place.dir }, columns: 200 }))
        .exitCode,
    ).toBe(0)
  })
})

test('an unsupported shell is refused with the list of supported ones, without a request or a folder', async () => {
  const nowhere = newPlace()
  expect(await parley('completion tcsh', { at: nowhere })).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('bash, zsh'),
  })
  expect(await parley(['__complete', '--', 'numbers', ''], { at: nowhere })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^search\t\S/),
    stderr: '',
  })
})

describe('installed', () => {
  const startup = (home: string): string => readFileSync(join(home, '.bashrc'), 'utf8')
  /** A home of somebody who keeps their start-up file elsewhere, behind a link. */
  const newHome = () => {
    const place = newPlace()
    writeFileSync(join(place.dir, 'dotfile'), 'PS1="$ "', { mode: 0o640 })
    symlinkSync(join(place.dir, 'dotfile'), join(place.dir, '.bashrc'))
    return place
  }

  test('for the shell of the user, also twice, it works in every new shell, and is removed without a trace', async () => {
    const home = newHome()
    const own = { ...env, HOME: home.dir, SHELL: '/bin/bash' }
    const dry = await parley('completion --install --dry-run', { at: home, env: own })
    expect(dry).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/parley\.bash: would be written\n.*\.bashrc: would be updated\n/),
    })
    expect(startup(home.dir)).toBe('PS1="$ "')
    expect((await parley('completion --install', { at: home, env: own })).exitCode).toBe(0)
    const once = startup(home.dir)
    expect(once.startsWith('PS1="$ "\n# >>>')).toBe(true)
    expect(await parley('completion --install', { at: home, env: own })).toMatchObject({
      stdout: expect.stringMatching(/unchanged\n.*unchanged\n$/),
    })
    expect(startup(home.dir)).toBe(once)
    expect([
      lstatSync(join(home.dir, '.bashrc')).isSymbolicLink(),
      statSync(join(home.dir, 'dotfile')).mode & 0o777,
    ]).toEqual([true, 0o640])
    const steps: readonly Step[] = [
      ['$ ', 'parley num\t'],
      ['parley numbers ', '\x15exit\r'],
    ]
    expect(
      (await programAtTerminal(['bash', '--noprofile', '-i'], steps, { at: home, env: own, columns: 200 })).exitCode,
    ).toBe(0)
    expect((await parley('completion --uninstall', { at: home, env: own })).stdout).toMatch(/removed\n.*cleaned\n$/)
    expect(startup(home.dir)).toBe('PS1="$ "\n')
  })

  test('only where a shell searches automatically, or is configured to', async () => {
    const home = newPlace()
    const own = { HOME: home.dir, SHELL: '/usr/bin/fish' }
    expect((await parley('completion --install', { at: home, env: own })).stdout).toMatch(
      /fish\/completions\/parley\.fish: written\n$/,
    )
    expect(
      (await parley('completion zsh --install', { at: home, env: { ...own, ZDOTDIR: join(home.dir, 'zsh') } })).stdout,
    ).toMatch(/zsh\/\.zshrc: updated\n$/)
    expect(await parley('completion powershell --install', { at: home, env: own })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('$PROFILE'),
    })
    expect(await parley('completion --install', { at: home, env: { ...own, SHELL: '/bin/tcsh' } })).toMatchObject({
      exitCode: 2,
    })
  })
})
