import { milliseconds } from '../data/values.ts'
import { type FlowNode, layoutFlow, nodeHeight, nodeWidth } from './flow-layout.ts'

/** What a graph shows about a step: of a run (run-detail.tsx), or of a comparison of versions (version-changes.tsx). */
export interface StepMark {
  readonly status?: string
  readonly durationMs?: number | null
  readonly change?: string
}

const kindOf = (node: FlowNode): string => {
  const { pieceName, actionName, triggerName, router } = (node.settings ?? {}) as Record<string, string | undefined>
  if (node.type === 'BRANCH') return router ? 'Router' : 'Branch'
  if (node.type === 'LOOP_ON_ITEMS') return 'Loop'
  if (node.type === 'CODE') return 'Code'
  const piece = pieceName?.replace(/^.*piece-/, '') ?? ''
  return [piece, (actionName ?? triggerName ?? '').replaceAll('_', ' ')].filter(Boolean).join(': ')
}

const margin = 8

/** The steps of a definition as a graph. Each step is a button. Steps of a run are marked with what happened. */
export function FlowGraph({
  trigger,
  label,
  marks,
  selected,
  onSelect,
}: {
  trigger: FlowNode
  label: string
  marks?: Readonly<Record<string, StepMark>>
  selected?: string | undefined
  onSelect?: (name: string) => void
}) {
  const { nodes, edges, frames, width, height } = layoutFlow(trigger)
  const hasRun = marks !== undefined && Object.values(marks).some((it) => it.status !== undefined)
  const isOn = (name: string | undefined): boolean =>
    !hasRun || name === undefined || marks?.[name]?.status !== undefined || name === trigger.name
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    <section class="graph" aria-label={label} tabIndex={0}>
      <div class="graph-space" style={{ width: `${width + margin * 2}px`, height: `${height + margin * 2}px` }}>
        <svg width={width + margin * 2} height={height + margin * 2} aria-hidden="true">
          <g transform={`translate(${margin} ${margin})`}>
            {frames.map((frame) => (
              <rect
                key={frame.name}
                class="loop-frame"
                x={frame.x}
                y={frame.y}
                width={frame.width}
                height={frame.height}
                rx="8"
              />
            ))}
            {edges.map((edge) => (
              <polyline
                key={`${edge.from} ${edge.to} ${edge.points.join(' ')}`}
                class={`edge ${hasRun && edge.to !== undefined && isOn(edge.to) && isOn(edge.from) ? 'taken' : ''}`}
                points={edge.points.map((point) => point.join(',')).join(' ')}
              />
            ))}
            {edges.map((edge) => {
              const end = edge.points.at(-1)
              return edge.label && end ? (
                <text
                  key={`${edge.from} ${edge.label}`}
                  class="edge-label"
                  x={end[0]}
                  y={end[1] - 8}
                  text-anchor="middle"
                >
                  {edge.label.length > 26 ? `${edge.label.slice(0, 25)}…` : edge.label}
                </text>
              ) : null
            })}
          </g>
        </svg>
        {nodes.map(({ node, name, x, y }) => {
          const mark = marks?.[name]
          return (
            <button
              key={name}
              type="button"
              class={`step ${mark?.status ? `ran ${mark.status.toLowerCase()}` : ''} ${mark?.change ?? ''} ${isOn(name) ? '' : 'skipped'}`}
              style={{
                left: `${x + margin}px`,
                top: `${y + margin}px`,
                width: `${nodeWidth}px`,
                height: `${nodeHeight}px`,
              }}
              aria-pressed={selected === name}
              onClick={() => onSelect?.(name)}
            >
              <span class="step-title" dir="auto">
                {node.displayName || name}
              </span>
              <span class="step-kind">
                {kindOf(node) || node.type}
                {mark?.status && ` · ${mark.status.toLowerCase()}`}
                {mark?.durationMs !== undefined && mark.durationMs !== null && ` · ${milliseconds(mark.durationMs)}`}
                {mark?.change && ` · ${mark.change}`}
              </span>
            </button>
          )
        })}
      </div>
    </section>
  )
}
