import type { CommandContext } from './command-context.ts'

/** Whether a signal has asked the command to stop, and a promise that resolves then. */
export type StopNote = Readonly<{ isStopped: boolean; stopped: Promise<void> }>

/** Call it before the work starts, so that no signal is missed. */
export const stopNote = ({ untilStopped }: CommandContext): StopNote => {
  const note = {
    isStopped: false,
    stopped: untilStopped().then(() => {
      note.isStopped = true
    }),
  }
  return note
}
