import type { Environment } from '../../adapters/config/settings.ts'
import type { Module } from '../../adapters/index.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { type Received, startMailbox } from './mail/mailbox.ts'
import { type Program, startProgram } from './program.ts'

/** The example as a process, with a real service and a real mail server. */
export type FrontEnd = Program & Readonly<{ running: RunningService; received: Array<Received> }>

export const startFrontEnd = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<FrontEnd> => {
  const running = await startService(environment, ...modules)
  const received: Array<Received> = []
  const mailbox = await startMailbox(0, (mail) => received.push(mail))
  const scope = 'users:recover users:confirm_email'
  const mailer = await succeed(running.service.registerApplication(CONTEXT, { name: 'mailer', scope }))
  const program = await startProgram('bff/bff', {
    PORTCULLIS_URL: `http://127.0.0.1:${running.port}`,
    PUBLIC_API_KEY: running.keys.public_api_key,
    PRIVATE_API_KEY: running.keys.private_api_key,
    MAILER_PUBLIC_API_KEY: mailer.publicApiKey,
    MAILER_PRIVATE_API_KEY: mailer.privateApiKey,
    SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
  })
  return {
    ...program,
    running,
    received,
    stop: async () => {
      const status = await program.stop()
      await mailbox.stop()
      await running.stop()
      return status
    },
  }
}

/** Takes this mail out of the mailbox as soon as it is there. */
export const mailAt = ({ received }: FrontEnd, address: string, subject: string): Promise<Received> =>
  eventually(`a mail to ${address}: ${subject}`, async () => {
    const isIt = ({ to, headers }: Received) => to.includes(address) && headers.subject === subject
    const index = received.findIndex(isIt)
    return index < 0 ? undefined : received.splice(index, 1)[0]
  })
