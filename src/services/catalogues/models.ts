/** The engine mode a model is for. `llm` is for pipeline (section 4.14). */
export type ModelType = 'llm' | 'multimodal' | 'dualplex'

/** A language model of the local platform. */
export interface Model {
  readonly id: number
  readonly name: string
  /** Absent from models of type `llm` (section 2.6). */
  readonly code?: string
}

/** Models by type. Ids are unique across all types, so that a model of the wrong type is never accepted. */
export const models: Readonly<Record<ModelType, readonly Model[]>> = {
  llm: [
    { id: 1, name: 'Fast' },
    { id: 2, name: 'Balanced' },
    { id: 3, name: 'Thorough' },
    { id: 4, name: 'Fast, long context' },
    { id: 5, name: 'Balanced, long context' },
  ],
  multimodal: [
    { id: 21, name: 'Realtime', code: 'realtime' },
    { id: 22, name: 'Realtime mini', code: 'realtime-mini' },
    { id: 23, name: 'Realtime vision', code: 'realtime-vision' },
  ],
  dualplex: [
    { id: 41, name: 'Duplex', code: 'duplex' },
    { id: 42, name: 'Duplex mini', code: 'duplex-mini' },
  ],
}
