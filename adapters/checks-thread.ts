import { parentPort, workerData } from 'node:worker_threads'
import type { Progress } from './cli/composition.ts'
import type { Settings } from './config/settings.ts'
import { loadChecks, loadComposition } from './joined.ts'

/** The thread of cli/checks-in-thread.ts. It receives the settings, runs the checks of `doctor` once, and answers with the findings. */
const [check, composition] = await Promise.all([loadChecks(), loadComposition()])
const onProgress = (progress: Progress): void => parentPort?.postMessage({ progress })
const findings = await check(composition, workerData as Settings, onProgress)
parentPort?.postMessage({ findings })
