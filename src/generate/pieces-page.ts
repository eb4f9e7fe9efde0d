import { operators, unaryOperators } from '../engine/pieces/conditions.ts'
import { type DescribedPiece, describePieces, exampleNode, type PieceField } from '../engine/pieces/describe-pieces.ts'
import { definitionExamples } from './definition-examples.ts'
import { escapeMarkdown, table } from './markdown.ts'

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

function valueText({ values, min, max, default: fallback, isRequired }: PieceField): string {
  const range =
    values !== undefined
      ? values.map((it) => (it === '\t' ? 'tab' : `\`${it}\``)).join(', ')
      : min !== undefined && max !== undefined
        ? `${min} to ${max}`
        : min === undefined
          ? ''
          : `at least ${min}`
  const defaultText = fallback === undefined ? '' : `default: \`${JSON.stringify(fallback)}\``
  return [isRequired ? 'required' : '', range, defaultText].filter(Boolean).join('; ')
}

function entryOf(piece: DescribedPiece): string {
  const rows = piece.fields.map((field) => [
    `\`${field.name}\``,
    field.type,
    valueText(field),
    field.meaning === undefined ? '' : escapeMarkdown(field.meaning),
  ])
  const about = [
    piece.connection === undefined ? '' : `Requires a connection of the kind \`${piece.connection}\` in \`auth\`.`,
    piece.effect ?? '',
  ]
  return [
    `### ${piece.title}: \`${piece.key}\``,
    about.filter(Boolean).join(' '),
    rows.length === 0 ? 'No input.' : table(['Field', 'Type', 'Values', 'Meaning'], rows),
    json(exampleNode(piece)),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/**
 * Returns the page of all kinds of steps, pieces and operators, each with an example. A test runs its commands with the block
 * that the mark `file: flow.json` precedes.
 */
export function piecesPage(): string {
  const all = describePieces()
  const pieces = [...new Set(all.map((it) => it.piece))]
  const steps = definitionExamples.map(
    (example, n) =>
      `### ${example.title}\n\n${example.text}\n\n${n === definitionExamples.length - 1 ? '<!-- file: flow.json -->\n' : ''}${json(example.definition)}\n\nA payload to test it with: \`${JSON.stringify(example.sample)}\``,
  )
  const operatorRows = [...operators.keys()].map((operator) => [
    `\`${operator}\``,
    unaryOperators.has(operator) ? 'firstValue' : 'firstValue, secondValue',
  ])
  return `# Steps and pieces

Generated from the pieces by \`npm run generate\`. On a terminal: \`parley help pieces\`, and \`parley schema automation <piece.action>\` for the JSON Schema of one input.

[Automations](automations.md) says how to test, publish and restore a definition. To see the definition of a template: \`parley automate templates <key> --definition\`.

## Kinds of steps

Each of these definitions is complete.

${steps.join('\n\n')}

### Test a definition

Save one of them as \`flow.json\`, then:

\`\`\`sh
parley automate test --file flow.json --sample '{"name": "Ada"}'
\`\`\`

## Operators of conditions

A condition has \`firstValue\`, \`operator\`, for most operators \`secondValue\`, and \`caseSensitive\` (default: false).

${table(['Operator', 'Uses'], operatorRows)}

${pieces
  .map(
    (piece) =>
      `## ${piece}\n\n${all
        .filter((it) => it.piece === piece)
        .map(entryOf)
        .join('\n\n')}`,
  )
  .join('\n\n')}
`
}
