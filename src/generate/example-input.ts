import type { WriteStep } from '../cli/features/doctor/conformance/write-step.ts'
import { createSteps, deleteSteps, messageSteps } from '../cli/features/doctor/conformance/write-steps.ts'
import { resources } from '../cli/program/resources/registry.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'

const steps: readonly WriteStep[] = [...createSteps, ...messageSteps, ...deleteSteps]
const endpointChecks = Object.assign({}, ...Object.values(resources).map((it) => it.endpointChecks))

/** The name that the conformance check chooses for what it creates. */
const newName = '$name'

const exampleUrl = 'https://hooks.example.com/parley'

/** Ids of the sample data by the name that steps store them under, and by resource; 1 for every other one, and an example for a URL. */
type SampleIds = Readonly<Record<string, number | string>>

/**
 * Returns input for an endpoint that names existing resources, from what the conformance check sends. Undefined for
 * endpoints that name none. Besides the tour, tests call every endpoint with it, such as with the ids of another account.
 */
export function exampleInput(
  { name, risk, params }: Endpoint,
  ids: SampleIds,
): Readonly<Record<string, unknown>> | undefined {
  const isReference = (it: unknown): it is string => typeof it === 'string' && it.startsWith('$') && it !== newName
  const step = steps.find((it) => it.endpoint === name && Object.values(it.input).some(isReference))
  if (step)
    return Object.fromEntries(
      Object.entries(step.input)
        // References first: two-accounts.test.ts replaces the first field.
        .sort(([, a], [, b]) => Number(isReference(b)) - Number(isReference(a)))
        .map(([field, example]) => [
          field,
          isReference(example)
            ? (ids[example.slice(1)] ?? (field.endsWith('_url') ? exampleUrl : 1))
            : example === newName
              ? 'Conformance'
              : example,
        ]),
    )
  const check = endpointChecks[name] ?? {}
  const names = [...Object.keys(params?.shape ?? {}), ...Object.keys(check.parameters ?? {})]
  if (risk !== 'read' || names.length === 0) return undefined
  const idOf = (field: string): number | string => {
    const list: string = check.parameters?.[field] ?? `${name}`
    return ids[list] ?? ids[list.slice(0, list.indexOf('.'))] ?? 1
  }
  return { ...Object.fromEntries(names.map((field) => [field, idOf(field)])), ...check.query }
}
