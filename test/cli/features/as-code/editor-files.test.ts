import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Operator } from '../../../support/operator.ts'
import { all, change, desk, path, pulled, read, write } from './code-folder.ts'

const line = (kind: string): string => `# yaml-language-server: $schema=../.schema/${kind}.json\n`
const kindsIn = (by: Operator): string[] =>
  readdirSync(path(by, ''), { withFileTypes: true })
    .filter((it) => it.isDirectory() && !it.name.startsWith('.'))
    .map((it) => it.name)
const validator = (by: Operator, kind: string) =>
  new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(read(by, `.schema/${kind}.json`)))
/** Files of resources, without those that editors use. */
const resourceFiles = (by: Operator): Record<string, string> =>
  Object.fromEntries(Object.entries(all(by)).filter(([file]) => /^[a-z-]+\/.*\.(?:yaml|md)$/.test(file)))

describe('a folder that was pulled has the schema of each kind', () => {
  test('which new files name, and every file of the sample account fulfills', async () => {
    const by = await pulled()
    const kinds = kindsIn(by)
    expect(kinds.length).toBeGreaterThan(8)
    expect(readdirSync(path(by, '.schema')).sort()).toEqual(kinds.map((it) => `${it}.json`).sort())
    for (const kind of kinds) {
      const validate = validator(by, kind)
      for (const name of readdirSync(path(by, kind)).filter((it) => it.endsWith('.yaml'))) {
        const text = read(by, `${kind}/${name}`)
        expect(text.startsWith(line(kind)), `${kind}/${name}`).toBe(true)
        expect(validate(parse(text)) || validate.errors, `${kind}/${name}`).toBe(true)
        expect(validate({ ...parse(text), no_such_field: 1 }), `${kind}/${name} with an unknown field`).toBe(false)
      }
    }
  })

  test('which says that references are names, knows variables, and has no address and no path of this computer', async () => {
    const by = await pulled()
    const tools = validator(by, 'tools')
    const tool = { name: 'a', endpoint: '${CRM_URL}', method: 'GET' }
    expect(tools(tool)).toBe(true)
    expect(tools({ ...tool, endpoint: 'nowhere' })).toBe(false)
    expect(tools({ ...tool, method: 'FETCH' })).toBe(false)
    expect(tools({ endpoint: 'https://a.example' })).toBe(false)
    const { voice_id, system_prompt_file } = JSON.parse(read(by, '.schema/assistants.json')).properties
    expect(voice_id).toMatchObject({ description: 'Name: voice' })
    expect(system_prompt_file).toMatchObject({ type: 'string' })
    for (const file of readdirSync(path(by, '.schema')).map((name) => `.schema/${name}`)) {
      const text = read(by, file)
      expect([file, text.includes(by.cwd), /127\.0\.0\.1|localhost/.test(text)]).toEqual([file, false, false])
    }
  })

  test('and is what "schema file" prints', async () => {
    const by = await pulled()
    for (const kind of kindsIn(by))
      expect(await by.json(`schema file ${kind}`)).toEqual(JSON.parse(read(by, `.schema/${kind}.json`)))
    expect(await by.run('schema file voice')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Unknown kind of file "voice"'),
    })
    expect(await by.run('schema file')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Pass one kind') })
  })

  test('and no command takes the line or the schemas for a difference', async () => {
    const by = await pulled()
    const before = all(by)
    for (const command of ['push --check', 'pull --check', 'diff --check', 'pull'])
      expect(await by.run(command), command).toMatchObject({ exitCode: 0 })
    expect(all(by)).toEqual(before)
    // A file of an earlier version has no line, and gets none.
    change(by, desk, line('assistants'), '')
    for (const command of ['push --check', 'pull --check', 'pull']) await by.run(command)
    expect(read(by, desk)).toMatch(/^name:/)
    expect(await by.run('assistants update 1 --set-json speech_speed=1.1')).toMatchObject({ exitCode: 0 })
    await by.run('pull')
    expect(read(by, desk)).toMatch(/^name:[\s\S]*speech_speed: 1.1/)
  })

  test('and "pull --schema" adds the line to files that exist, and nothing else', async () => {
    const by = await pulled()
    const before = all(by)
    change(by, desk, line('assistants'), '')
    change(by, 'tools/book-appointment.yaml', line('tools'), '')
    change(by, 'tools/book-appointment.yaml', 'name:', '# mine\nname:')
    expect(await by.run('pull --schema')).toMatchObject({ exitCode: 0 })
    expect(read(by, desk)).toBe(before[desk])
    expect(read(by, 'tools/book-appointment.yaml')).toMatch(/^# yaml-language-server: .*\n# mine\nname:/)
    write(by, desk, read(by, desk).replace('../.schema/assistants.json', 'https://example.com/own.json'))
    const own = read(by, desk)
    expect(await by.run('pull --schema')).toMatchObject({ exitCode: 0 })
    expect(read(by, desk)).toBe(own)
  })

  test('which a pull renews, and a dry run does not write', async () => {
    const by = await pulled()
    write(by, '.schema/tools.json', '{}\n')
    await by.run('pull --dry-run')
    expect(read(by, '.schema/tools.json')).toBe('{}\n')
    await by.run('pull')
    expect(JSON.parse(read(by, '.schema/tools.json'))).toMatchObject({ title: 'tools' })
  })
})

describe('a long prompt is a Markdown file', () => {
  const prompt = '# Task\n\nAnswer the phone.\n\n- Be brief.  \n- Be kind.\n'
  const file = 'assistants/front-desk.md'
  const setPrompt = async (by: Operator, text: string): Promise<void> => {
    writeFileSync(join(by.cwd, 'prompt.json'), JSON.stringify({ system_prompt: text }))
    expect(await by.run('assistants update 1 --file prompt.json')).toMatchObject({ exitCode: 0 })
  }
  const promptOf = async (by: Operator): Promise<string> => (await by.json('assistants get 1')).system_prompt
  /** A folder with the file, pulled after the prompt of several lines was set. */
  async function pulledWithPrompt(text = prompt): Promise<Operator> {
    const by = await pulled()
    await setPrompt(by, text)
    await by.run('pull copy')
    rmSync(path(by, ''), { recursive: true })
    renameSync(join(by.cwd, 'copy'), path(by, ''))
    return by
  }

  test('beside the file of the assistant, in both directions, and round trips change no byte', async () => {
    const by = await pulledWithPrompt()
    expect(read(by, file)).toBe(`${prompt}\n`)
    expect(parse(read(by, desk))).toMatchObject({ system_prompt_file: 'front-desk.md' })
    expect(parse(read(by, desk))).not.toHaveProperty('system_prompt')
    const before = all(by)
    for (const command of ['push --check', 'pull --check', 'pull', 'push --yes'])
      expect(await by.run(command), command).toMatchObject({ exitCode: 0 })
    expect(all(by)).toEqual(before)

    write(by, file, '# Task\n\nAnswer the door.\n')
    expect((await by.run('diff')).stdout).toContain('system_prompt')
    expect(await by.run('push --yes')).toMatchObject({ exitCode: 0 })
    expect(await promptOf(by)).toBe('# Task\n\nAnswer the door.')
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })

    await setPrompt(by, 'Short.')
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(read(by, file)).toBe('Short.\n')
    expect(resourceFiles(by)[desk]).toBe(before[desk])
  })

  test.each(['One line', 'x'.repeat(301), 'a\r\nb', ' \n ', 'line\n\n\n', '\n\nx', 'Tabs\tand: "quotes" # 😀'])(
    'or stays in YAML, so that a new account gets the same text: %j',
    async (text) => {
      const by = await pulledWithPrompt(text)
      const sent = await promptOf(by)
      expect(existsSync(path(by, file))).toBe(
        (sent.includes('\n') || sent.length > 300) && !/\r/.test(sent) && sent.trim() !== '',
      )
      expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
      await setPrompt(by, 'Another.')
      expect(await by.run('push --yes --force-local')).toMatchObject({ exitCode: 0 })
      expect(await promptOf(by)).toBe(sent)
    },
  )

  test('and a file that has the prompt in YAML keeps it there', async () => {
    const by = await pulled()
    await setPrompt(by, prompt)
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(parse(read(by, desk)).system_prompt).toBe(prompt)
    expect(existsSync(path(by, file))).toBe(false)
  })

  test('with line ends of Windows is the same prompt', async () => {
    const by = await pulledWithPrompt()
    write(by, file, read(by, file).replaceAll('\n', '\r\n'))
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
  })

  test('of two assistants is not changed for one of them', async () => {
    const by = await pulledWithPrompt()
    change(by, 'assistants/recall.yaml', /^system_prompt: .*$/m, 'system_prompt_file: front-desk.md')
    expect(await by.run('push --yes')).toMatchObject({ exitCode: 0 })
    await setPrompt(by, 'One.\nTwo.')
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
    expect((await by.json('assistants get 2')).system_prompt).toBe(prompt)
  })

  test('is saved before a pull overwrites it, and the printed command restores it', async () => {
    const by = await pulledWithPrompt()
    write(by, file, 'Mine.\n')
    await setPrompt(by, 'Theirs.\nNow.')
    expect(await by.run('pull')).toMatchObject({ exitCode: 5 })
    expect(read(by, file)).toBe('Mine.\n')
    const { exitCode, stderr } = await by.run('pull --force-remote')
    expect(exitCode).toBe(0)
    expect(read(by, file)).toBe('Theirs.\nNow.\n')
    execFileSync('sh', ['-c', /To restore it: (.+)/.exec(stderr)?.[1] ?? 'false'])
    expect(read(by, file)).toBe('Mine.\n')
  })

  test('is deleted with the file when the assistant was deleted on the platform', async () => {
    const by = await pulledWithPrompt()
    write(by, 'assistants/notes.md', 'Not of an assistant.\n')
    expect(await by.run('assistants delete 1 --confirm "Front desk"')).toMatchObject({ exitCode: 0 })
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    expect([desk, file, 'assistants/notes.md'].map((it) => existsSync(path(by, it)))).toEqual([false, false, true])
  })

  test('is read by commands with --file', async () => {
    const by = await pulledWithPrompt()
    change(by, desk, /^phone_number_id: .*\n/m, '')
    const made = await by.json('assistants create --file parley/assistants/front-desk.yaml --name Copy')
    expect((await by.json(`assistants get ${made.id}`)).system_prompt).toBe(prompt)
  })

  test.each([
    ['system_prompt_file: missing.md', 'system_prompt_file: Could not read missing.md'],
    ['system_prompt_file: front-desk.md\nsystem_prompt: x', 'system_prompt and system_prompt_file cannot be combined'],
    ['system_prompt_file: ../../../secret.md', 'system_prompt_file must be the path of a text file in the project'],
    ['system_prompt_file: /etc/passwd', 'system_prompt_file must be the path of a text file in the project'],
    ['system_prompt_file: ../assistants', 'system_prompt_file: Could not read ../assistants'],
    ['system_prompt_file:', 'system_prompt_file must be the path of a text file in the project'],
    ['system_prompt_file: empty.md', 'system_prompt_file: empty.md is empty'],
  ])('and %j is refused before anything is sent', async (text, message) => {
    const by = await pulledWithPrompt()
    write(by, 'assistants/empty.md', '\n')
    change(by, desk, 'system_prompt_file: front-desk.md', text)
    const { exitCode, stderr } = await by.run('push --yes')
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
    expect(await promptOf(by)).toBe(prompt)
  })
})
