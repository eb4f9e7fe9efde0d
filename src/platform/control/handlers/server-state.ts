/** State of the server of this process. */
export interface ServerState {
  /** Wall time in milliseconds. */
  readonly startedAt: number
  /** Whether the server finishes its work and accepts no more. */
  isDraining: boolean
  /** URL under which it listens; null while it does not. */
  url: string | null
  readonly processUsage?: ProcessUsage | undefined
  /** Creates a code to sign in to the inspector with; undefined without an inspector. */
  readonly createInspectorLogin?: (() => Promise<string>) | undefined
}

/** Returns what the process has used: CPU time in seconds since its start, and memory in bytes. */
export type ProcessUsage = () => { readonly cpuSeconds: number; readonly residentBytes: number }
