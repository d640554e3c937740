import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyKeychainService

/// The caller on one connection, for the thread that serves the connection.
///
/// The program is inspected when it connects. The trust in its team can change later; the next call then uses the new
/// verdict.
struct ConnectedCaller {
    private let service: KeychainService
    private let access: CallerRecognition
    /// Nil for a declared caller, whose rights never change.
    private let program: RecognisedProgram?
    private var epoch: UInt64
    private var isNoted = false
    private(set) var caller: Caller

    init(declared caller: Caller, service: KeychainService, access: CallerRecognition) {
        self.service = service
        self.access = access
        program = nil
        epoch = 0
        self.caller = caller
    }

    init(_ program: RecognisedProgram, service: KeychainService, access: CallerRecognition) {
        self.service = service
        self.access = access
        self.program = program
        // Read before the verdict, so that the next call notices a change made in between.
        epoch = service.teamTrustEpoch
        caller = access.caller(program)
    }

    /// Returns the caller for the call that is being made now.
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
