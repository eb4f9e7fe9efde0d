import { fieldsOfItems, withComposed } from './fields.ts'
import { isMachine, type OutputSettings, type Rendered, type Shape } from './form.ts'
import { renderMachineText } from './machine-format.ts'

type Machine = Parameters<typeof import('./machine-format.ts').renderMachineText>[1]
const isForMachine = (settings: OutputSettings): settings is OutputSettings & Machine => isMachine(settings.form)

/** Replaces the names of `--fields` by their paths. @throws UnknownField */
export const withFieldPaths = <T>(settings: OutputSettings, items: readonly T[], shape: Shape<T>): OutputSettings =>
  settings.fields ? { ...settings, fields: fieldsOfItems(settings.fields, items, shape) } : settings

/** Renders a list in the requested format. @throws UnknownField, NoId */
export async function renderList<T extends object>(
  given: readonly T[],
  asked: OutputSettings,
  shape: Shape<T> = {},
): Promise<Rendered> {
  const settings = withFieldPaths(asked, given, shape)
  const items = withComposed(given, settings.fields, shape)
  if (isForMachine(settings)) {
    return { text: await renderMachineText(items, settings, shape), hidden: [] }
  }
  const { renderTable } = await import('./tables/table.ts')
  return renderTable(items, settings, shape)
}

/** Renders a record in the requested format. @throws UnknownField, NoId */
export async function renderRecord<T extends object>(
  given: T,
  asked: OutputSettings,
  shape: Shape<T> = {},
): Promise<string> {
  const settings = withFieldPaths(asked, [given], shape)
  const [item = given] = withComposed([given], settings.fields, shape)
  if (isForMachine(settings)) {
    return renderMachineText(item, settings, shape)
  }
  const { renderRecordForPeople } = await import('./tables/record.ts')
  return renderRecordForPeople(item, settings, shape)
}
