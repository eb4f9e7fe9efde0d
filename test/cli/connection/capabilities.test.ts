import { expect, test } from 'vitest'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { exampleInput } from '../../../src/generate/example-input.ts'
import { allCommands } from '../../../src/generate/reference-files.ts'
import { extensionOf, notParleyServer } from '../../support/altered-responses.ts'
import { operator } from '../../support/operator.ts'

const extensions = endpoints.filter((it) => it.capability !== undefined)
const through = notParleyServer
const isExtension = (line: string): boolean => {
  const [method = '', url = ''] = line.split(' ')
  return extensionOf(method, url) !== undefined
}

test.each(extensions)('$name is refused without a request if the platform does not list its capability', async (it) => {
  const { run } = operator({ supports: 'neutral' })
  const input = JSON.stringify(exampleInput(it, {}) ?? {})
  const { exitCode, stdout, stderr, requests } = await run(['api', it.name, '--data', input, '--yes', '--json'], {
    through,
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'not_offered',
    message: `The local platform does not have the capability "${it.capability}", which "parley api" requires.`,
    hint: 'Use a Parley server, such as the local platform: --profile local.',
  })
  expect(requests.filter(isExtension)).toEqual([])
})

const commands = (await allCommands()).filter(([, it]) => it.endpoint?.capability !== undefined)

test.each(commands)('parley %s requests no endpoint that the platform does not have', async (words, { examples }) => {
  const { run } = operator({ supports: 'neutral' })
  const { exitCode, stderr, requests } = await run(`${words} ${examples[0] ?? ''}`, { through })
  expect(requests.filter(isExtension)).toEqual([])
  if (exitCode === 2) expect(stderr).toMatch(/does not have the capability ".+", which "parley .+" requires/)
})
