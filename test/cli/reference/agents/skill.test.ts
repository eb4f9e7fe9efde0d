import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../../../src/contract/errors/exit-codes.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

const root = new URL('../../../../', import.meta.url)
const skill = readFileSync(new URL('skills/parley/SKILL.md', root), 'utf8')

describe('the skill', () => {
  test('has a name, a description, and at most 4 000 tokens of 4 characters', () => {
    expect(skill).toMatch(/^---\nname: parley\ndescription: ".{40,1000}"\n/)
    expect(skill.length / 4).toBeLessThanOrEqual(4000)
  })

  test('has every noun, every verb and every exit code', async () => {
    const lines = skill.slice(skill.indexOf('## Commands')).split('\n')
    for (const [words] of await allCommands()) {
      const verb = words.replace(/.* /, '')
      const start = verb === words ? '- ui,' : `- \`${words.slice(0, -verb.length - 1)}\`:`
      const line = lines.find((it) => it.startsWith(start))
      expect(line, words).toMatch(new RegExp(`[ ]${verb}(?=[ ,]|$)`))
    }
    for (const [name, { code }] of Object.entries(exitCodes)) expect(skill).toContain(`| ${code} | \`${name}\` |`)
  })

  test('is the text of "help agents"', async () => {
    const { stdout } = await operator().run('help agents')
    const words = (text: string): string => text.replaceAll(/[|`\s]+/g, ' ')
    expect(stdout).toMatch(/^# Parley\n/)
    for (const heading of skill.match(/^##+ .*$/gm) ?? []) expect(stdout).toContain(heading)
    expect(words(stdout)).toContain(words(skill.slice(skill.indexOf('## Which command'))))
    expect(stdout).toContain('- 10 consent: confirmation required and not given')
  })
})

describe('skill install', () => {
  test('writes the skill where agents find it, and again changes nothing', async () => {
    const { run, cwd } = operator()
    const file = join(cwd, '.claude/skills/parley/SKILL.md')
    expect((await run('skill install')).stdout).toBe('Created .claude/skills/parley/SKILL.md.\n')
    expect(readFileSync(file, 'utf8')).toBe(skill)
    expect((await run('skill install')).stdout).toBe('.claude/skills/parley/SKILL.md is up to date.\n')
    expect(JSON.parse((await run('skill install agents --json', { env: { CLAUDECODE: '1' } })).stdout)).toEqual({
      file: 'agents/SKILL.md',
      done: 'written',
    })
  })

  test('replaces the skill of another version', async () => {
    const { run, cwd } = operator()
    const file = join(cwd, 'agents/SKILL.md')
    mkdirSync(dirname(file))
    // The checksum of the text "# Old" with its line break.
    writeFileSync(file, '---\nname: parley\nmetadata:\n  checksum: "ccd2955cfc4a825d"\n---\n# Old\n')
    expect((await run('skill install agents')).stdout).toBe('Updated agents/SKILL.md.\n')
    expect(readFileSync(file, 'utf8')).toBe(skill)
  })

  test.each([skill.replace('# Parley', '# Our rules'), 'Ours.\n', ''])(
    'keeps a file that was changed, unless --force says otherwise',
    async (text) => {
      const { run, cwd } = operator()
      const file = join(cwd, 'agents/SKILL.md')
      mkdirSync(dirname(file))
      writeFileSync(file, text)
      const refused = await run('skill install agents --yes')
      expect(refused).toMatchObject({ exitCode: 5, stdout: '' })
      expect(refused.stderr).toContain('agents/SKILL.md was changed since Parley wrote it, or is not from Parley.')
      expect(readFileSync(file, 'utf8')).toBe(text)
      expect((await run('skill install agents --force')).exitCode).toBe(0)
      expect(readFileSync(file, 'utf8')).toBe(skill)
    },
  )
})

test('docs/agents.md is short, has both promises, and five ways round the soft one', () => {
  const page = readFileSync(new URL('docs/agents.md', root), 'utf8')
  expect(page.split('\n').length).toBeLessThanOrEqual(150)
  expect(page).toMatch(/### The soft promise[\s\S]*^5\. [\s\S]*### The hard promise/m)
})

test('llms.txt links only files of the repository', () => {
  const text = readFileSync(new URL('llms.txt', root), 'utf8')
  const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map((it) => it[1] as string)
  expect(links).toContain('docs/agents.md')
  for (const link of links) expect(() => readFileSync(new URL(link, root)), link).not.toThrow()
})
