import CLatchkeyShims
import Glibc
import LatchkeyPlainText
import LatchkeySecretMemory

/// The meaning of a system call's error number.
package enum SystemError {
    package static func text(_ number: Int32) -> String {
        guard let message = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: message)
    }
}

/// Standard error: what people read, never what programs parse. Hidden characters are escaped there, but for line breaks
/// and tabs.
package enum StandardError {
    package static func write(_ text: String) {
        Descriptor.write(PlainText.escapedLines(text), to: STDERR_FILENO)
    }
}

/// Writes with write(2): nothing keeps a copy.
package enum Descriptor {
    /// Standard input, output and error that are closed get a file that can be neither read nor written. False if there
    /// is none.
    static func occupyStandardOnes() -> Bool { lk_file_occupy_standard_descriptors() == 0 }

    /// False if the reader is gone or the disk is full.
    @discardableResult
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    @discardableResult
    package static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { unsafe write(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}
