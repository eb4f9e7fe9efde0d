import { Failure, failures } from '../../contract/errors.ts'
import { maxProblems } from './limits.ts'

/** Something wrong with a definition. */
export interface Problem {
  /** Name of the step, `trigger` for the trigger, null for the definition as a whole. */
  readonly step: string | null
  /** Place inside the step, such as `settings.input.url`; empty for the step itself. */
  readonly path: string
  /** A sentence. */
  readonly message: string
}

export type Refusal = 'automate.invalid_definition' | 'automate.unsupported_trigger' | 'automate.no_steps'

const told = ({ step, path, message }: Problem): string => `${[step, path].filter(Boolean).join(': ')}${step || path ? ': ' : ''}${message}`

/** The refusal of a definition: the first problems in words, all of them as the detail `problems`. */
export function refusalOf(name: Refusal, problems: readonly Problem[]): Failure {
  const [first, ...more] = problems
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  const text = first === undefined || name === 'automate.no_steps' ? failures[name].text : `${failures[name].text} ${told(first)}${rest}`
  return new Failure(name, { text, details: { problems: problems.slice(0, maxProblems) } })
}

/** Collects problems, the first hundred of them. */
export class Problems {
  readonly all: Problem[] = []

  add(step: string | null, path: string, message: string): void {
    if (this.all.length < maxProblems) this.all.push({ step, path, message })
  }
}
