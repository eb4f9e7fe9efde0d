import type * as z from 'zod'
import { stringifyJson } from '../../node/json.ts'
import { StepFailure } from './step-failure.ts'

interface InputProblem {
  /** Path such as `headers.Accept`. */
  readonly path: string
  /** Message without the name of the field: `is required.` */
  readonly message: string
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined || value === null || value === '') return 'is required.'
  if (issue.code === 'invalid_type') return `must be ${typeNames[issue.expected] ?? issue.expected}.`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(formatChoice).join(', ')}.`
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}.`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}.`
  return `${issue.message.replace(/\.$/, '')}.`
}

/** Formats an allowed value; one with signs or spaces, such as a tab, in quotes. */
const formatChoice = (value: unknown): string =>
  /^[\w.@/-]+$/.test(String(value)) ? String(value) : stringifyJson(value)

/** Formats a path as `a.b[0]['odd name']`: the form of `path` in findings and problems, which scripts read. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((segment, at) =>
      typeof segment === 'number'
        ? `[${segment}]`
        : /^[\w$-]+$/.test(String(segment))
          ? `${at > 0 ? '.' : ''}${String(segment)}`
          : `[${stringifyJson(segment)}]`,
    )
    .join('')

/** Returns the value at a path, or the value of its nearest existing ancestor. */
export function nearestValue(
  value: unknown,
  path: readonly PropertyKey[],
): { readonly value: unknown; readonly exact: boolean } {
  let at = value
  for (const [depth, key] of path.entries()) {
    if (typeof at !== 'object' || at === null) return { value: at, exact: false }
    if (!Object.hasOwn(at, key)) return { value: undefined, exact: depth === path.length - 1 }
    at = (at as Record<PropertyKey, unknown>)[key]
  }
  return { value: at, exact: true }
}

/** Returns the problems of an input, each with the path of its field. */
export function findInputProblems(
  schema: z.ZodType,
  input: unknown,
): (InputProblem & { readonly at: readonly PropertyKey[] })[] {
  const result = schema.safeParse(input)
  if (result.success) return []
  const all = result.error.issues.map((issue) => ({
    at: issue.path,
    path: formatPath(issue.path),
    message: describeIssue(issue, nearestValue(input, issue.path).value),
  }))
  // Only the first problem of each field.
  return all.filter((it, at) => all.findIndex(({ path }) => path === it.path) === at)
}

/** Converts a resolved input for an action. @throws StepFailure that names every invalid field */
export function parseInput<I>(schema: z.ZodType<I>, input: unknown): I {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const problems = findInputProblems(schema, input)
  throw new StepFailure(problems.map(({ path, message }) => `${path || 'The input'} ${message}`).join(' '))
}
