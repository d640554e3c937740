/// The two fields of `/proc/PID/stat` that distinguish the lives of a process number, and the programs in one life.
struct ProcessRecord: Sendable, Hashable {
    /// Clock ticks from boot to the start of the process; kept by `exec`.
    let startTime: UInt64
    /// Address of the bottom of the stack; chosen anew by every `exec`.
    let startStack: UInt64

    init(startTime: UInt64, startStack: UInt64) {
        self.startTime = startTime
        self.startStack = startStack
    }

    /// Nil if the text is not a valid record. The program's name is in brackets and may contain anything, brackets
    /// included.
    init?(statText text: [UInt8]) {
        guard let bracket = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        // The first field after the name is number 3 of proc(5).
        let fields = text[(bracket + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard fields.count > 25,
            let startTime = UInt64(String(decoding: fields[22 - 3], as: UTF8.self)),
            let startStack = UInt64(String(decoding: fields[28 - 3], as: UTF8.self))
        else { return nil }
        self.startTime = startTime
        self.startStack = startStack
    }
}
