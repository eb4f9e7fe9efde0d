import { isError } from '../../node/is-error.ts'
import { usageError } from '../errors/usage-error.ts'
import { withLocalCatalogues } from './local-catalogues.ts'
import type { ProjectFiles } from './project-files.ts'
import type { TestScenario } from './scenario-schema.ts'
import type { TestPlatform } from './test-platform.ts'

/** Maximum replacements of an account before its error is reported. */
const maxReplacements = 50

/** An open temporary platform, and what on it differs from the files, a sentence each. */
export interface OpenAccount {
  readonly platform: TestPlatform
  readonly replaced: readonly string[]
}

/**
 * Opens a temporary platform with an account, without what the local platform cannot have. @throws ClientFailure
 * `usage` with the file and the field of what it refuses otherwise
 */
export async function openAccount(
  given: object,
  open: (data: object) => Promise<TestPlatform>,
  of: { readonly scenario: TestScenario; readonly project: ProjectFiles },
): Promise<OpenAccount> {
  const replaced: string[] = []
  let data = given
  for (let n = 0; ; n++) {
    try {
      return { platform: await open(data), replaced }
    } catch (error) {
      try {
        const account = withLocalCatalogues(data, error)
        if (n === maxReplacements) throw error
        replaced.push(...account.replaced)
        data = account.data
      } catch {
        throw invalidAccount(error, data, of)
      }
    }
  }
}

/** Returns the error for an account that the platform refuses, with the file and field of each problem. */
function invalidAccount(
  error: unknown,
  data: object,
  { scenario, project }: { readonly scenario: TestScenario; readonly project: ProjectFiles },
): unknown {
  const { errors } = error as { readonly errors?: Readonly<Record<string, readonly string[]>> }
  if (!isError(error) || errors === undefined) return error
  const { accounts } = data as { readonly accounts: readonly [Readonly<Record<string, unknown>>] }
  const own: string[] = []
  const problems = Object.entries(errors).flatMap(([path, texts]) => {
    const [place = '', list = '', index = ''] = /^accounts\.0\.(\w+)\.(\d+)\.?/.exec(path) ?? []
    const records = accounts[0][list]
    const { name } = (Array.isArray(records) ? (records[Number(index)] as { readonly name?: string }) : undefined) ?? {}
    const file = name === undefined ? undefined : project.files?.get(`${list}/${name}`)
    const shown = texts.map((it) => (file === undefined ? it : `${file}: ${it.replace(place, '')}`))
    if (file === undefined) own.push(...shown)
    return shown.map((it) => it.replaceAll(/accounts\.0\./g, ''))
  })
  return usageError(
    own.length === 0
      ? problems.join('\n')
      : `${scenario.locate('data')}: the account of the scenario "${scenario.name}" is invalid:\n${problems.join('\n')}`,
    'Fix the files of the project, or the data of the scenario.',
  )
}
