/** Tells the sender of this process that a commit has put a mail. Without a sender, no one hears it. */
export type MailBell = Readonly<{ ring: () => void; onRing: (listener: () => void) => void }>

export const mailBell = (): MailBell => {
  let hear = (): void => {}
  return {
    ring: () => hear(),
    onRing: (listener) => {
      hear = listener
    },
  }
}
