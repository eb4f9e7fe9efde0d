import { runInNewContext } from 'node:vm'
import { anyText, anything, fields, flag, text, textList } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'

const patternTimeoutMs = 250

/**
 * Runs a script that applies a regular expression to texts, and returns its result. A pattern that takes longer than
 * 250 ms is stopped, because it would block every other run.
 * @throws StepFailure that names the field of the pattern
 */
function applyPattern(field: string, pattern: string, script: string, variables: Record<string, string>): unknown {
  try {
    new RegExp(pattern)
  } catch (error) {
    throw new StepFailure(`${field} is not a valid regular expression: ${(error as Error).message}`)
  }
  try {
    const result = runInNewContext(
      `JSON.stringify(${script})`,
      { ...variables, pattern },
      { timeout: patternTimeoutMs },
    )
    return JSON.parse(result as string)
  } catch (error) {
    const isSlow = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    throw new StepFailure(
      isSlow
        ? `${field} took longer than ${patternTimeoutMs} ms on this text. Use a simpler regular expression.`
        : `${field} cannot be applied to this text: ${(error as Error).message}`,
    )
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Joins, splits and searches texts. */
export const textHelper: Piece = {
  names: ['text-helper'],
  triggers: {},
  actions: {
    concat: action({
      title: 'Concatenate texts',
      isInternal: true,
      // The public field is spelled this way.
      input: fields({ texts: textList, seperator: anyText }),
      run: async ({ texts, seperator }) => done(texts.join(seperator)),
    }),
    replace: action({
      title: 'Replace in a text',
      isInternal: true,
      input: fields({ text, searchValue: text, replaceValue: anyText, replaceOnlyFirst: flag }),
      run: async ({ text: given, searchValue, replaceValue, replaceOnlyFirst }) =>
        done(
          applyPattern(
            'searchValue',
            searchValue,
            `given.replace(new RegExp(pattern, '${replaceOnlyFirst ? '' : 'g'}'), replaceValue)`,
            { given, replaceValue },
          ),
        ),
    }),
    split: action({
      title: 'Split a text',
      isInternal: true,
      input: fields({ text, delimiter: text }),
      run: async ({ text: given, delimiter }) => done(given.split(delimiter)),
    }),
    find: action({
      title: 'Find in a text',
      isInternal: true,
      input: fields({ text, expression: text }),
      run: async ({ text: given, expression }) =>
        done(applyPattern('expression', expression, 'given.match(new RegExp(pattern))', { given })),
    }),
    defaultValue: action({
      title: 'Default of an empty value',
      isInternal: true,
      input: fields({ value: anything, defaultString: text }),
      run: async ({ value, defaultString }) => done(isEmpty(value) ? defaultString : value),
    }),
  },
}
