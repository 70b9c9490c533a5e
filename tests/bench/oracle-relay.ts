import { startRelay } from '../support/mail-relay.ts'

/** A relay in a process of its own, so that its work is not that of the service. It sends its parent its port. */
const { port } = await startRelay()
process.on('disconnect', () => process.exit()) // the parent has ended
process.send?.(port)
