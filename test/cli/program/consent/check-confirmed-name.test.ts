import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

describe('--confirm with another name', () => {
  test.each([
    ['numbers release 4', '--confirm "x" does not match the name "+14'],
    ['numbers release 4 --yes', '--confirm "x" does not match the name'],
    ['assistants delete Recall', '--confirm "x" does not match the name "Recall"'],
    ['keys delete 2 --yes', '--confirm "x" does not match the name'],
    ['tools update 1 --tool-timeout 9', '--confirm "x" does not match the profile name "local"'],
    ['automate disable "Opening hours"', '--confirm "x" does not match the name "Opening hours"'],
    ['automate restore "Opening hours" --yes', '--confirm "x" does not match the name "Opening hours"'],
    ['automate update "Opening hours" --name Hello', '--confirm "x" does not match the name "Opening hours"'],
    ['server accounts update 1 --name Other', '--confirm "x" does not match the profile name "local"'],
    ["api tools.update --data '{id: 1, timeout: 9}'", '--confirm "x" does not match the profile name "local"'],
  ])('is refused before anything is sent: %s', async (line, message) => {
    const { exitCode, stdout, stderr, requests } = await operator().run(`${line} --confirm x`)
    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(requests.filter((it) => !it.startsWith('GET '))).toEqual([])
  })

  test('is refused by an undo and a push too, and the right name or the profile is accepted', async () => {
    const by = operator()
    expect(await by.run('tools update 1 --tool-timeout 9 --confirm local')).toMatchObject({ exitCode: 0 })
    const [{ entry }] = await by.json('history list')
    expect(await by.run(`history undo ${entry} --confirm x`)).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await by.run(`history undo ${entry} --confirm lookup_patient`)).toMatchObject({ exitCode: 0 })
    await by.run('pull')
    await by.run('tools update 1 --tool-timeout 9')
    expect(await by.run('push --yes --confirm x')).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await by.run('push --yes --confirm local')).toMatchObject({ exitCode: 0 })
  })
})
