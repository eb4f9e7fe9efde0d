import { checkFieldsOf } from './fields.ts'
import { isMachine, type OutputSettings, type Rendered, type Shape } from './form.ts'

type Machine = Parameters<typeof import('./machine.ts').machineText>[1]
const forMachine = (settings: OutputSettings): settings is OutputSettings & Machine => isMachine(settings.form)

/** A list in the form asked for. Throws UnknownField, NoId. */
export async function renderList<T extends object>(items: readonly T[], settings: OutputSettings, shape: Shape<T> = {}): Promise<Rendered> {
  if (settings.fields) checkFieldsOf(settings.fields, items, shape)
  if (forMachine(settings)) {
    const { machineText } = await import('./machine.ts')
    return { text: await machineText(items, settings, shape), hidden: [] }
  }
  const { table } = await import('./table.ts')
  return table(items, settings, shape)
}

/** One thing in the form asked for. Throws UnknownField, NoId. */
export async function renderRecord<T extends object>(item: T, settings: OutputSettings, shape: Shape<T> = {}): Promise<string> {
  if (settings.fields) checkFieldsOf(settings.fields, [item], shape)
  if (forMachine(settings)) {
    const { machineText } = await import('./machine.ts')
    return machineText(item, settings, shape)
  }
  const { record } = await import('./record.ts')
  return record(item, settings, shape)
}
