import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { getOwn, nodeSettings } from '../definition/node.ts'
import { approval } from './approval.ts'
import { calendarA, calendarB, crmB } from './calendar-pieces.ts'
import { csv } from './csv.ts'
import { dataSummarizer } from './data-summarizer.ts'
import { dateHelper } from './date-helper.ts'
import { delay } from './delay.ts'
import { http } from './http.ts'
import { mail } from './mail.ts'
import type { Action, Piece, Trigger } from './piece.ts'
import { platform } from './platform.ts'
import { schedule } from './schedule.ts'
import { spreadsheet } from './spreadsheet.ts'
import { store } from './store.ts'
import { subflows } from './subflows.ts'
import { textHelper } from './text/text-helper.ts'
import { cryptoPiece, dataMapper, json, mathHelper } from './value-pieces.ts'
import { webhook } from './webhook.ts'

/** All pieces of this platform. */
export const pieces: readonly Piece[] = [
  webhook,
  schedule,
  platform,
  http,
  delay,
  approval,
  subflows,
  store,
  mail,
  spreadsheet,
  calendarA,
  calendarB,
  crmB,
  dataMapper,
  dataSummarizer,
  json,
  mathHelper,
  cryptoPiece,
  textHelper,
  dateHelper,
  csv,
]

const byName = new Map(pieces.flatMap((piece) => piece.names.map((name) => [name, piece] as const)))

/** Returns a piece by its package, `@engine/piece-http`, or by the spelling of deployments. */
export function findPiece(pieceName: unknown): Piece | undefined {
  if (typeof pieceName !== 'string') return undefined
  const [, scope, name = ''] =
    /^@(engine|activepieces|platform|integration-tools)\/piece-([a-z0-9-]+)$/.exec(pieceName) ?? []
  const piece = scope === undefined ? undefined : byName.get(name)
  const ours = scope === 'platform' || scope === 'integration-tools'
  return piece && (piece === platform) === ours ? piece : undefined
}

/** Returns the action that a PIECE step names. */
export function actionOf(node: AutomationNode): Action<never> | undefined {
  const settings = nodeSettings(node)
  return getOwn(findPiece(getOwn(settings, 'pieceName'))?.actions, String(getOwn(settings, 'actionName') ?? '')) as
    | Action<never>
    | undefined
}

/** Returns the trigger of a trigger node. */
export function triggerOf(node: AutomationNode): Trigger | undefined {
  if (node.type !== 'PIECE_TRIGGER') return undefined
  const settings = nodeSettings(node)
  return getOwn(findPiece(getOwn(settings, 'pieceName'))?.triggers, String(getOwn(settings, 'triggerName') ?? '')) as
    | Trigger
    | undefined
}
