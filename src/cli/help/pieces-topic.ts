import { alignedRows, wrap } from '../terminal/wrap-text.ts'

/** Renders the help topic about pieces: the triggers and actions of automations, and where their input is described. */
export async function piecesTopic(width: number): Promise<string> {
  const { describePieces } = await import('../../flow/pieces/describe-pieces.ts')
  const all = describePieces()
  const rowsOf = (kind: 'action' | 'trigger'): string =>
    alignedRows(
      all.filter((it) => it.kind === kind).map((it) => [it.key, it.title]),
      width,
    )
  return `${[
    'Pieces of automations',
    wrap(
      'A step of the type PIECE names a piece and one of its actions, and has their input. A trigger names a piece and one of its triggers. The other types of steps are CODE, BRANCH, ROUTER and LOOP_ON_ITEMS.',
      width,
      '',
    ),
    `Triggers:\n${rowsOf('trigger')}`,
    `Actions:\n${rowsOf('action')}`,
    alignedRows(
      [
        ['parley schema automation', 'JSON Schema of a definition'],
        ['parley schema automation <name>', 'Input of one of these, with an example'],
        ['parley automate templates', 'Templates; with a key and --definition, one as a definition'],
      ],
      width,
    ),
    'Examples of every step: docs/pieces.md',
  ].join('\n\n')}\n`
}
