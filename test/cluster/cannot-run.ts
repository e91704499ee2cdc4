/** A state of the machine in which the cluster cannot run. The message is one sentence for the person at the screen. */
export class CannotRun extends Error {}
