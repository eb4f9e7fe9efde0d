import { Failure, failures } from '../../contract/errors/failures.ts'
import { maxProblems } from './definition-limits.ts'

/** Something wrong with a definition. */
export interface Problem {
  /** Name of the step, `trigger` for the trigger, null for the definition as a whole. */
  readonly step: string | null
  /** Place inside the step, such as `settings.input.url`; empty for the step itself. */
  readonly path: string
  /** A sentence. */
  readonly message: string
  /** The step's piece and its action or trigger, for messages: `piece-store get`. */
  readonly title?: string
}

/** A step or trigger of a piece, or an action of one, that is not available here. */
export interface UnknownPiece extends Problem {
  readonly step: string
  /** Such as `@engine/piece-slack`. */
  readonly piece: string
  /** Name of its action or trigger. */
  readonly name: string | null
  readonly title: string
}

export type DefinitionFailureName = 'automate.invalid_definition' | 'automate.unsupported_trigger' | 'automate.no_steps'

const formatProblem = ({ step, path, message }: Problem): string =>
  `${[step, path].filter(Boolean).join(': ')}${step || path ? ': ' : ''}${message}`

/** The refusal of a definition: the first problems in words, all of them as the detail `problems`. */
export function toFailure(name: DefinitionFailureName, problems: readonly Problem[]): Failure {
  const [first, ...more] = problems
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  const text =
    first === undefined || name === 'automate.no_steps'
      ? failures[name].text
      : `${failures[name].text} ${formatProblem(first)}${rest}`
  return new Failure(name, {
    text,
    details: { problems: problems.slice(0, maxProblems).map(({ step, path, message }) => ({ step, path, message })) },
  })
}

/** Collects problems, the first hundred of them. Unknown pieces are counted apart: a definition with them can be read, and not run. */
export class Problems {
  readonly all: Problem[] = []
  readonly unknown: UnknownPiece[] = []

  add(step: string | null, path: string, message: string, title?: string): void {
    if (this.all.length < maxProblems) this.all.push({ step, path, message, ...(title !== undefined && { title }) })
  }

  /** Removes the problems that `is` names, and returns them. */
  removeWhere(predicate: (it: Problem) => boolean): readonly Problem[] {
    const removed = this.all.filter(predicate)
    this.all.splice(0, this.all.length, ...this.all.filter((it) => !predicate(it)))
    return removed
  }

  addUnknown(it: UnknownPiece): void {
    if (this.unknown.length < maxProblems) this.unknown.push(it)
  }
}
