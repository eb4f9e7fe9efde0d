import { expect, test } from 'vitest'
import type { PlainResponse } from '../../src/contract/endpoint/http-message.ts'
import type { FailureKind } from '../../src/contract/errors/exit-codes.ts'
import { exitCodes } from '../../src/contract/errors/exit-codes.ts'
import { type FailureName, failures } from '../../src/contract/errors/failures.ts'
import { errorExample, exampleResponse } from '../../src/generate/error-examples.ts'
import { type Operator, operator } from '../support/operator.ts'
import { read } from '../support/sources.ts'

const kinds = failures as Readonly<Record<FailureName, FailureKind>>
const names = Object.keys(failures) as FailureName[]

let shared: Operator | undefined

test.each(names)('%s is raised as documented, with its status, envelope and exit code', async (name) => {
  const { line, before: after = [] } = errorExample(name)
  // What is refused changes nothing.
  const by = after.length === 0 ? (shared ??= operator({ lasts: 'file' })) : operator()
  // Messages have a limit for each second.
  by.wait(1000)
  for (const before of after) expect((await by.run(before)).exitCode, before).toBe(0)
  const refused: PlainResponse[] = []
  const { exitCode, stdout, stderr } = await by.run(line, {
    through: async (handle, request) => {
      const response = await handle(request)
      // What it was before is read too, and the platform words that refusal for itself.
      if (
        (response.status >= 400 || response.status === kinds[name].status) &&
        !(request.method === 'GET' && /\.(restore|restoreVersion|update|delete)\b| restore\b/.test(line))
      )
        refused.push(response)
      return response
    },
  })
  // A command may ask once more, to tell what there is: the platform says the same again.
  const answers = [...new Set(refused.map(({ status, body }) => `${status} ${body}`))].map((answer) => ({
    status: Number(answer.slice(0, 3)),
    body: JSON.parse(answer.slice(4)),
  }))
  expect({ answers, stderr }).toEqual({
    answers: [exampleResponse(name)],
    stderr: expect.any(String),
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: exitCodes[kinds[name].exit].code, stdout: '' })
})

test('the page has a line for every error, and the pages of the documentation link to it', () => {
  const page = read('docs/errors.md')
  for (const name of names) expect(page).toContain(`| \`${name}\` |`)
  expect(read('docs/README.md')).toContain('(errors.md)')
})
