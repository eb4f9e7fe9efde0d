import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

describe('a path that cannot be used', () => {
  test.each([
    ['pull taken', 'taken is a file, not a folder.'],
    ['push taken', 'taken is a file, not a folder.'],
    ['diff taken', 'taken is a file, not a folder.'],
    ['pull taken/below', 'taken/below/parley.lock.json could not be read: a part of its path is a file.'],
    ['pull /proc/parley', 'Could not create the folder /proc/parley'],
    ['automate pull --folder taken', 'Could not read the folder'],
    ['automate push --folder taken', 'Could not read the folder'],
    ['assistants test taken', 'Could not read the folder'],
    ['events listen --record taken', 'Could not create the folder'],
    ['demo --project taken', 'Could not read the folder'],
    ['server backup taken/x', 'taken/x: a part of its path is a file'],
    ['server backup missing/x', 'missing/x: its folder does not exist'],
    ['diff --junit /proc/x/y', 'Could not write /proc/x/y: its folder does not exist'],
    ['server export --file taken/x', 'Could not write --file taken/x: a part of its path is a file'],
  ])('is named with the reason, without the words of the system: %s', async (line, message) => {
    const by = operator()
    writeFileSync(join(by.cwd, 'taken'), '')
    if (line.startsWith('diff --junit')) await by.run('pull')
    const { exitCode, stderr } = await by.run(line)
    expect({ exitCode }, stderr).toEqual({ exitCode: 2 })
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/Internal error|E[A-Z]{4,}:|\bat .*\.ts/)
  })
})

describe('in the folder of a project', () => {
  test.each([
    ['push', 'parley push .'],
    ['push assistants/front-desk', 'parley push . assistants/front-desk'],
    ['diff', 'parley diff .'],
    ['pull', 'parley pull .'],
    ['assistants test', 'parley assistants test .'],
  ])('%s names the command for it, and creates nothing', async (line, hint) => {
    const by = operator()
    await by.run('pull')
    const cwd = join(by.cwd, 'parley')
    const { exitCode, stderr, stdout } = await by.run(line, { cwd })
    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(hint)
    if (line !== 'assistants test') expect((await by.run(hint.replace('parley ', ''), { cwd })).exitCode).toBe(0)
  })
})
