import { useSignal } from '@preact/signals'
import { textBlocks } from './text-blocks.ts'

/** A text that is cut after some characters, with a button that shows the rest. */
export function LongText({ text, limit }: { text: string; limit: number }) {
  const isOpen = useSignal(false)
  if (text.length <= limit) return <>{text}</>
  // A cut between the two units of a character would show a replacement character.
  const cut = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')
  return (
    <>
      {isOpen.value
        ? textBlocks(text).map((block, at) => (
            <span key={`${at} ${block.length}`} class="block">
              {block}
            </span>
          ))
        : `${cut}…`}
      <button
        type="button"
        class="show-all"
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        {isOpen.value ? 'Show less' : `Show all ${Math.round(text.length / 1000)} kB`}
      </button>
    </>
  )
}
