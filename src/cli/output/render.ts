import { checkFieldsOfItems } from './fields.ts'
import { isMachine, type OutputSettings, type Rendered, type Shape } from './form.ts'

type Machine = Parameters<typeof import('./machine-format.ts').renderMachineText>[1]
const isForMachine = (settings: OutputSettings): settings is OutputSettings & Machine => isMachine(settings.form)

/** Renders a list in the requested format. @throws UnknownField, NoId */
export async function renderList<T extends object>(
  items: readonly T[],
  settings: OutputSettings,
  shape: Shape<T> = {},
): Promise<Rendered> {
  if (settings.fields) checkFieldsOfItems(settings.fields, items, shape)
  if (isForMachine(settings)) {
    const { renderMachineText } = await import('./machine-format.ts')
    return { text: await renderMachineText(items, settings, shape), hidden: [] }
  }
  const { renderTable } = await import('./tables/table.ts')
  return renderTable(items, settings, shape)
}

/** Renders a record in the requested format. @throws UnknownField, NoId */
export async function renderRecord<T extends object>(
  item: T,
  settings: OutputSettings,
  shape: Shape<T> = {},
): Promise<string> {
  if (settings.fields) checkFieldsOfItems(settings.fields, [item], shape)
  if (isForMachine(settings)) {
    const { renderMachineText } = await import('./machine-format.ts')
    return renderMachineText(item, settings, shape)
  }
  const { renderRecordForPeople } = await import('./tables/record.ts')
  return renderRecordForPeople(item, settings, shape)
}
