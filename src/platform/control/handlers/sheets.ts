import { randomUUID } from 'node:crypto'
import { sheets } from '../../../contract/control/sheets.ts'
import { Failure, invalidField } from '../../../contract/errors/failures.ts'
import type { ConnectionAccess, ProviderResult } from '../../../engine/ports.ts'
import { createSheet, listSheets } from '../../providers/integrations/account-sheets.ts'
import { SheetFailure } from '../../providers/integrations/sheet-files.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { connectionsPort } from '../../services/automations/ports/connection-service.ts'
import type { ControlDeps } from '../sample-data/fill-platform.ts'
import { requireAccount } from './require-account.ts'

/** Returns the endpoints of the resource with their handlers. */
export const sheetResource = (deps: ControlDeps): LoadedResource => loadedResource(sheets, sheetHandlers(deps))

/** Creates the handlers of the control API for spreadsheets. They use the same code as the steps of automations. */
function sheetHandlers(deps: ControlDeps): HandlersOf<typeof sheets> {
  const { connection, dataDir } = deps
  const provider = () => deps.providers.sheets

  /** Returns the access of a connection: the named one, else that of automations, else the folder of the account. */
  async function accessOf(account: number, name: string | undefined): Promise<ConnectionAccess> {
    await requireAccount(connection.read, account)
    const found = await connectionsPort(deps).find(account, name ?? 'spreadsheet')
    if (found.status === 'missing' && name !== undefined) throw new Failure('connections.not_found')
    if (found.status === 'expired')
      throw new Failure('automate.needs_reconnection', {
        text: `An account connection has expired: ${name ?? 'spreadsheet'}.`,
      })
    const secret = found.status === 'active' ? (found.secret as ConnectionAccess['secret'] | null) : null
    return { account, secret: secret ?? {}, now: await deps.clock.now() }
  }

  return {
    list: async ({ account, connection: name }) => ({
      data: await orFailure(async () => listSheets(connection, dataDir, await accessOf(account, name))),
    }),
    async rows({ account, name, sheet, connection: used }) {
      const access = await accessOf(account, used)
      return {
        data: [
          ...requireValue(await provider().rows(access, { spreadsheet: name, sheet }, 1, Number.MAX_SAFE_INTEGER)),
        ],
      }
    },
    async create({ account, name, sheet, columns, connection: used }) {
      const access = await accessOf(account, used)
      const location = { spreadsheet: name, sheet }
      const data = await orFailure(() => createSheet(connection, dataDir, { access, location, columns }))
      if (!data) throw new Failure('sheets.exists')
      return { message: 'Spreadsheet created successfully.', data }
    },
    async addRow({ account, name, sheet, values, connection: used }) {
      const access = await accessOf(account, used)
      const row = requireValue(await provider().append(randomUUID(), access, { spreadsheet: name, sheet }, values))
      return { message: 'Row added successfully.', data: row }
    },
    async updateRow({ account, name, row, sheet, values, connection: used }) {
      const access = await accessOf(account, used)
      const data = requireValue(
        await provider().update(randomUUID(), access, { spreadsheet: name, sheet }, row, values),
      )
      return { message: 'Row updated successfully.', data }
    },
    async deleteRow({ account, name, row, sheet, connection: used }) {
      const access = await accessOf(account, used)
      requireValue(await provider().remove(randomUUID(), access, { spreadsheet: name, sheet }, row))
      return { message: 'Row deleted successfully.' }
    },
  }
}

/** Returns the value of a result. @throws Failure if the provider refused */
function requireValue<T>(result: ProviderResult<{ readonly value: T }>): T {
  if (!result.ok) throw toFailure(result.reason, result.because)
  return result.value
}

async function orFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SheetFailure ? toFailure(error.message, error.because) : error
  }
}

const toFailure = (text: string, because: string | undefined): Failure =>
  because === 'missing' ? new Failure('sheets.not_found', { text }) : invalidField('name', text)
