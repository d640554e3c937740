import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyKeychainService

/// Who is at the other end of one connection, for the one thread that serves it.
///
/// The program was looked at when it connected. Whether its team is trusted can change later, and then the next call
/// already meets the new answer.
struct ConnectedCaller {
    private let service: KeychainService
    private let access: ProgramAccess
    /// Nil for a caller that was declared: nothing about it can change.
    private let program: RecognisedProgram?
    private var epoch: UInt64
    private var isNoted = false
    private(set) var caller: Caller

    init(declared caller: Caller, service: KeychainService, access: ProgramAccess) {
        self.service = service
        self.access = access
        program = nil
        epoch = 0
        self.caller = caller
    }

    init(_ program: RecognisedProgram, service: KeychainService, access: ProgramAccess) {
        self.service = service
        self.access = access
        self.program = program
        // Before the verdict: a change in between is then met by the next call.
        epoch = service.teamTrustEpoch
        caller = access.caller(program)
    }

    /// The caller for a call that is made now.
    mutating func current() -> Caller {
        guard let program else { return caller }
        let now = service.teamTrustEpoch
        if now != epoch {
            epoch = now
            caller = access.caller(program)
            isNoted = false
        }
        if !isNoted {
            isNoted = true
            if let sighting = program.sighting(as: caller) {
                service.noteApplication(sighting, demanding: program.demandedLevel)
            }
        }
        return caller
    }
}
