import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Problem {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}
interface Linter {
  createConfig(settings: { readonly extends: readonly string[] }): Promise<object>
  lint(options: { readonly ref: string; readonly config: object }): Promise<readonly Problem[]>
}

const root = join(import.meta.dirname, '../..')
/** Imported by a variable, so that the types of the package are not part of the type check. */
const linter: string = '@redocly/openapi-core'

test.each(['openapi.json', 'control-openapi.json'])('%s has no warning of the recommended rules', async (name) => {
  const { createConfig, lint } = (await import(linter)) as Linter
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lint({ ref: join(root, 'test/golden', name), config })
  expect(problems.map((it) => `${it.ruleId} at ${it.location[0]?.pointer}: ${it.message}`)).toEqual([])
})
