import LatchkeyEncoding
import LatchkeySecretMemory

/// PEM texts, which may have private keys: their blocks stay in locked memory.
extension SecretBox {
    var hasPEM: Bool { unsafe withBytes { unsafe PEMBlock.begins(in: $0) } }

    /// The blocks of the text, each with its boundary lines.
    var pemBlocks: [(label: String, text: SecretBox)] {
        let blocks = unsafe withBytes { unsafe PEMBlock.all(in: $0) }
        return blocks.map { ($0.label, slice($0.range)) }
    }
}
